import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type GatewayAlone, startGatewayAlone } from './gateway-alone.ts';

/** Rules of the linter that are enabled in addition to its ruleset `recommended-strict`. */
const stricter = {
  'component-name-unique': 'error',
  'no-http-verbs-in-paths': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'no-required-schema-properties-undefined': 'error',
  'operation-4xx-response': 'error',
  'operation-description': 'error',
  'operation-singular-tag': 'error',
  'operation-tag-defined': 'error',
  'parameter-description': 'error',
  'paths-kebab-case': 'error',
  'request-mime-type': { severity: 'error', allowedValues: ['application/json'] },
  'response-contains-header': { severity: 'error', names: { '2xx': ['x-request-id'] } },
  'response-mime-type': { severity: 'error', allowedValues: ['application/json', 'image/jpeg'] },
  'tag-description': 'error',
} as const;

/** Rules that do not apply to webhooks: webhooks are named after their events, and receivers choose their responses. */
const NOT_FOR_WEBHOOKS = ['response-contains-header', 'paths-kebab-case'];

let gateway: GatewayAlone;
let document: string;
beforeAll(async () => {
  gateway = await startGatewayAlone();
  document = await (await fetch(`${gateway.url}/openapi.yaml`)).text();
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

async function complaints(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules: stricter });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.yaml', config });
  return problems
    .map(({ ruleId, location, message }) => ({ ruleId, pointer: location[0]?.pointer ?? '', message }))
    .filter(({ ruleId, pointer }) => !(pointer.startsWith('#/webhooks/') && NOT_FOR_WEBHOOKS.includes(ruleId)))
    .map(({ ruleId, pointer, message }) => `${ruleId} ${pointer}: ${message}`);
}

test('the linter finds no problem in the document', async () => {
  expect(await complaints(document)).toEqual([]);
});

test('the document is also served as JSON, without a credential', async () => {
  const response = await fetch(`${gateway.url}/api/v1/openapi.json`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(await response.json()).toEqual(parse(document));
});

test('the OpenAPI 3.0 form has the same operations as the document, and the linter finds no problem in it', async () => {
  const older = await (await fetch(`${gateway.url}/openapi-3.0.yaml`)).text();
  // The 3.0 form has no URL for the license, and contains unused schemas, because 3.0 can't describe the events as
  // webhooks.
  const known = /^(info-license-strict|no-unused-components .*Event: )/;
  expect((await complaints(older)).filter((complaint) => !known.test(complaint))).toEqual([]);
  expect(parse(older).openapi).toBe('3.0.3');
  expect(Object.keys(parse(older).paths)).toEqual(Object.keys(parse(document).paths));
  expect(document).toMatch(/type:\n\s+- string\n/);
  expect(older).not.toMatch(/type:\n\s+- string\n/);
});

test.each<[string, (me: Record<string, unknown>) => void]>([
  ['operation-operationId', (me) => delete me.operationId],
  ['operation-operationId-unique', (me) => Object.assign(me, { operationId: 'listMonitors' })],
  ['operation-description', (me) => delete me.description],
  ['operation-4xx-response', (me) => Object.assign(me, { responses: { 200: { description: 'Done' } } })],
  ['no-unresolved-refs', (me) => Object.assign(me.responses as object, { 401: { $ref: '#/components/responses/No' } })],
  ['operation-tag-defined', (me) => Object.assign(me, { tags: ['Nobody described it'] })],
])('the linter reports a violation of the rule %s', async (rule, spoil) => {
  const spoilt = parse(document);
  spoil(spoilt.paths['/api/v1/me'].get);
  expect((await complaints(stringify(spoilt))).join('\n')).toContain(`${rule} `);
});

test('the linter reports an example that does not match its schema', async () => {
  const spoilt = document.replaceAll('check_type: http', 'check_type: pigeon');
  expect((await complaints(spoilt)).join('\n')).toContain('no-invalid-media-type-examples');
});

test('every operation has examples of its body and responses', () => {
  const { paths, components } = parse(document);
  const media = [...Object.values(paths).flatMap((item) => Object.values(item as object)), components.responses]
    .flatMap(({ requestBody, responses, ...others }) => [requestBody, ...Object.values(responses ?? others)])
    .flatMap((part) => Object.entries((part as { content?: object })?.content ?? {}))
    .flatMap(([type, part]) => (type === 'image/jpeg' ? [] : [part]));
  expect(media.length).toBeGreaterThan(50);
  expect(media.filter((part) => !('example' in part))).toEqual([]);
});

test('every operation that needs a credential documents its rate-limit headers', () => {
  const operations = Object.values<object>(parse(document).paths).flatMap((item) => Object.values(item));
  const limited = operations.filter(({ security }) => security.length > 0);
  expect(limited.length).toBeGreaterThan(40);
  for (const { operationId, responses } of limited) {
    const success = responses[200] ?? responses[201] ?? responses[204];
    expect(success.headers, operationId).toHaveProperty('x-ratelimit-remaining');
  }
});

test('operation ids consist of a verb and a resource', () => {
  const { paths } = parse(document);
  expect(paths['/api/v1/monitors'].get.operationId).toBe('listMonitors');
  expect(paths['/api/v1/monitors/{id}/check'].post.operationId).toBe('checkMonitor');
  expect(paths['/api/v1/status-pages/{id}/structure'].put.operationId).toBe('replaceStatusPageStructure');
});

test('the example monitor has no fields of other check types', () => {
  const { paths, components } = parse(document);
  const { check_type, ...monitor } =
    paths['/api/v1/monitors/{id}'].get.responses[200].content['application/json'].example.data;
  expect(check_type).toBe('http');
  expect(monitor.config).toHaveProperty('url');
  expect(monitor).toHaveProperty('confirm_down_minutes');
  expect(monitor).not.toHaveProperty('heartbeat_token');
  expect(monitor).not.toHaveProperty('confirm_down_after');
  expect(components.schemas.Monitor.discriminator.mapping).toEqual({
    http: '#/components/schemas/HttpMonitor',
    tcp: '#/components/schemas/TcpMonitor',
    dns: '#/components/schemas/DnsMonitor',
    heartbeat: '#/components/schemas/HeartbeatMonitor',
    synthetic: '#/components/schemas/SyntheticMonitor',
  });
});

test('internal schema keywords are not in the document', () => {
  expect(document).not.toMatch(/x-(document|message|pattern-message|type)/);
});
