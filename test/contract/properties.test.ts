import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { startNetwork } from '../network.ts';
import { startTarget } from '../target.ts';
import { bodies, type Known, type Schema } from './bodies.ts';
import { type Operation, readDocument } from './document.ts';

/** Number of bodies per endpoint. */
const RUNS = 50;
const PATIENCE_MS = 30_000;

/** The seed is fixed, so that a failure is caused by the tested change. Other seeds can find further failures. */
const SEED = Number(process.env.TOCSIN_SEED ?? 20_261_120);

/** Number of runs for operations without a body. */
const FEW_RUNS = 5;

/** Fields whose values change without a request. */
const VOLATILE = new Set(['current_state', 'last_used_at']);

// The network starts at the top level of the file, because the tests are generated from its OpenAPI document.
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
const target = stack.use(await startTarget());
const network = stack.use(await startNetwork());
const { send } = network.api;
const document = await readDocument(network.baseUrl);
/** Write operations, except heartbeats, which ignore their bodies. */
const writes = document.operations.filter(({ name }) => !name.startsWith('GET ') && name.includes(' /api/v1/'));

test('the document has write endpoints', () => {
  expect(writes.length).toBeGreaterThan(20);
});

describe.each(writes.map((operation) => [operation.name, operation] as const))('%s', (name, operation) => {
  test('no body causes a 5xx status, and refused bodies change nothing', async () => {
    const { schema, example } = bodyOf(operation);
    const [method = ''] = name.split(' ');
    const { resources, known } = await makeResources();
    const here = pathOf(name, resources);
    // A DELETE of an existing resource would succeed with every body, so these requests use unknown ids.
    const path = method === 'DELETE' ? here.replace(/[^/]{36}(?!.*[^/]{36})/, randomUUID()) : here;
    const readable = above(here);
    const nearby = readable.at(-1) ?? '';
    const everything = await Promise.all(readable.map(look));
    let before = await look(nearby);
    let accepted = 0;
    let refused = 0;

    const property = fc.asyncProperty(bodies(schema, known), async (body) => {
      const response = await send(method, path, JSON.stringify(body), { 'content-type': 'application/json' });
      document.check(method, path, response);
      expect(response.status, JSON.stringify(response.body)).toBeLessThan(500);
      if (response.status >= 400) {
        refused += 1;
        expect(await look(nearby)).toEqual(before);
      } else {
        accepted += 1;
        await undo(path, response);
        before = await look(nearby);
      }
    });
    await fc.assert(property, {
      seed: SEED,
      numRuns: schema ? RUNS : FEW_RUNS,
      interruptAfterTimeLimit: PATIENCE_MS,
      markInterruptAsFailure: false,
      // Also send the example in the document, which is a valid body.
      ...(schema && { examples: [[example]] }),
    });

    // The bodies must include accepted and refused ones.
    if (schema) expect(Math.min(accepted, refused), `${accepted} accepted, ${refused} refused`).toBeGreaterThan(0);
    else expect(accepted + refused).toBeGreaterThan(0);
    if (accepted === 0) expect(await Promise.all(readable.map(look))).toEqual(everything);
  });
});

/** Counter that makes names unique. */
let made = 0;

/** Creates one resource of each kind. Returns their ids by list path, and values to try in the fields of bodies. */
async function makeResources(): Promise<{ resources: ReadonlyMap<string, string>; known: Known }> {
  const ids = new Map<string, string>();
  made += 1;
  const make = async (list: string, body: object) => {
    const path = list.replaceAll(/\{\w+\}/g, ids.get('/status-pages') ?? '');
    const { id } = await network.api.post<{ id: string }>(path, body);
    ids.set(list, id);
    return id;
  };
  const config = { url: target.url };
  const page = await make('/status-pages', { name: 'Page', slug: `page-${made}` });
  const monitor = await make('/monitors', { name: 'Shop', check_type: 'http', config, enabled: false });
  const channel = await make('/alert-channels', {
    name: 'Hook',
    type: 'webhook',
    config: { url: 'http://127.0.0.1:9/' },
  });
  const webhook = await make('/webhooks', { url: 'http://127.0.0.1:9/', events: ['monitor.created'] });
  const tested = await network.api.post<{ id: string }>(`/webhooks/${webhook}/test`, {});
  ids.set('/webhooks/{id}/deliveries', tested.id);
  await make('/api-keys', { name: 'Key', permissions: ['monitors:read'] });
  const group = await make('/status-pages/{status_page_id}/component-groups', { name: 'Web' });
  const component = await make('/status-pages/{status_page_id}/components', { name: 'Shop' });
  await make('/disruptions', { title: 'Nothing works', started_at: '2026-11-20T10:00:00Z' });
  await make('/incidents', { title: 'Nothing works' });
  for (const list of ['/disruptions', '/incidents']) {
    // Adds a second timeline entry, because the only entry can't be deleted.
    const path = `${list}/${ids.get(list)}`;
    const { updates } = await network.api.patch<{ updates: { id: string }[] }>(path, { message: 'More' });
    ids.set(`${list}/{id}/updates`, updates[0]?.id ?? '');
  }
  return {
    resources: ids,
    known: {
      config: [config, { ...config, method: 'HEAD', unknown: { to: 'us' } }, { webhook_url: 'http://127.0.0.1:9/' }],
      check_type: ['http', 'heartbeat'],
      secrets: [{ KEY: 'value' }, { KEY: null }, {}],
      type: [],
      url: ['http://127.0.0.1:9/', 'https://hooks.example.com/', 'http://10.0.0.1/'],
      events: [['monitor.created'], ['disruption.created', 'disruption.created'], ['no.such']],
      slug: [`page-${made}`, `another-${made}`, 'Bad_Slug'],
      status_page_id: [page],
      monitor_id: [monitor],
      alert_channel_ids: [channel],
      component_group_id: [group],
      component_id: [component],
      id: [component, group],
      domain: [`status-${made}.example.com`, 'localhost', '*.example.com'],
      permissions: [['monitors:read'], ['monitors:read', 'status_pages:read_write'], ['no:such']],
      expires_at: ['2099-01-01T00:00:00Z', '2001-01-01T00:00:00Z'],
      started_at: ['2026-11-20T10:00:00Z', '2026-11-20T10:00+01:00', '2999-12-31T23:59:59Z'],
      ends_at: ['2026-11-20T12:00:00Z', '2001-01-01T00:00:00Z'],
      primary_color: ['#0f766e', 'red'],
      logo_light_url: ['https://example.com/logo.svg', 'javascript:alert(1)'],
      logo_dark_url: ['https://example.com/logo.svg'],
    },
  };
}

/** Returns the path of an operation with the ids of created resources. */
function pathOf(name: string, resources: ReadonlyMap<string, string>): string {
  const [, template = ''] = name.split(' ');
  const short = template.replace('/api/v1', '');
  return template.replaceAll(/\{\w+\}/g, (parameter, at: number) => {
    const list = short.slice(0, at - '/api/v1'.length - 1);
    const id = resources.get(list);
    if (!id) throw new Error(`${name} needs one of ${list} for ${parameter}: make one in makeResources()`);
    return id;
  });
}

/** Returns those parts of a path that can be read, outermost first, such as a page and its component. */
function above(path: string): string[] {
  const steps = path.split('/').slice(3);
  const paths = steps.map((_, index) => `/api/v1/${steps.slice(0, index + 1).join('/')}`);
  return paths.filter((candidate) => document.operations.some(({ name }) => isGetOf(name, candidate)));
}

function isGetOf(name: string, path: string): boolean {
  return new RegExp(`^${name.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(`GET ${path}`);
}

/** Returns the resource without fields whose values change without a request. */
async function look(path: string): Promise<unknown> {
  const { status, body } = await send('GET', path);
  return { status, body: JSON.parse(JSON.stringify(body, (key, value) => (VOLATILE.has(key) ? undefined : value))) };
}

/** Deletes the created resource, so that lists stay short. */
async function undo(
  path: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): Promise<void> {
  const { id } = (body as { data?: { id?: string } }).data ?? {};
  if (status === 201 && id !== undefined) await send('DELETE', `${path}/${id}`);
}

function bodyOf({ requestBody }: Operation): { readonly schema?: Schema; readonly example?: unknown } {
  const { content } = (requestBody ?? {}) as { content?: Record<string, { schema: Schema; example: unknown }> };
  return content?.['application/json'] ?? {};
}
