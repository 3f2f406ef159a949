import { expect, test } from 'vitest';
import { rows } from './access.ts';
import type { Operation } from './document.ts';
import type { Fixture } from './fixture.ts';

/** Tests the rules for the OpenAPI document itself. */
export function described(fixture: () => Fixture): void {
  test('the document is OpenAPI 3.1 and contains the URL of the server', () => {
    const { document, network } = fixture();
    expect(document.content.openapi).toBe('3.1.0');
    expect(document.content.info.description).toMatch(/12 months .*`Deprecation`.*`Sunset`/s);
    expect(document.content.servers).toEqual([{ url: network.baseUrl }]);
    expect(Object.keys(document.content.paths).filter((path) => !/^\/api\/(v1|heartbeat)\//.test(path))).toEqual([]);
  });

  test('every operation has a summary, one tag, its security and all of its errors', () => {
    for (const operation of fixture().document.operations) {
      const { name, summary, tags, security, responses, requestBody } = operation;
      expect(summary, name).toMatch(/^[A-Z].+[^.]$/);
      expect(tags, name).toHaveLength(1);
      const { permission } = rows[name] ?? {};
      const scopes = permission ? [permission] : [];
      expect(security, name).toEqual(isOpen(name) ? [] : [{ bearer: [] }, { oauth2: scopes }]);
      const statuses = Object.keys(responses);
      expect(statuses.filter((status) => status >= '400').sort(), name).toEqual(errorsOf(operation).sort());
      expect(
        statuses.filter((status) => status < '300'),
        name,
        // A request with a body can be validated without making a change. The response is then a 204.
      ).toHaveLength(requestBody ? 2 : 1);
    }
  });

  test('constants are described by enum instead of const', () => {
    expect(alternativesOfConstants(fixture().document.content, '')).toEqual([]);
  });
}

/**
 * Operations that the state of a resource can forbid: a monitor's disruption can't be reopened while a newer one is
 * open, and the only entry of a timeline can't be deleted.
 */
const refusedByState = ['/api/v1/disruptions/{id}', '/api/v1/incidents/{id}'].flatMap((path) => [
  `PATCH ${path}`,
  `DELETE ${path}/updates/{update_id}`,
]);

/** Returns whether an operation needs no credential, because the token in its path is the credential. */
function isOpen(name: string): boolean {
  return name.includes(' /api/heartbeat/');
}

function errorsOf({ name, parameters = [] }: Operation): string[] {
  if (isOpen(name)) return ['404', '413', '429', '500', '503'];
  const isPost = name.startsWith('POST');
  const takesQuery = parameters.some((parameter) => parameter.in === 'query');
  return [
    ...['401', '403', '429', '500', '503'],
    ...(name.includes('{') ? ['404'] : []),
    // Statuses for a malformed body. They apply even to operations that expect no body.
    ...(name.startsWith('GET') ? [] : ['400', '413', '415']),
    // Status for an idempotency key that is in use or belongs to another request, and for conflicts with the state of
    // the resource.
    ...(isPost || refusedByState.includes(name) ? ['409'] : []),
    // Every operation that changes something validates its body, or refuses `validate_only`.
    ...(!name.startsWith('GET') || takesQuery ? ['422'] : []),
  ];
}

function alternativesOfConstants(node: unknown, path: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const found = Object.entries(node).flatMap(([key, value]) => alternativesOfConstants(value, `${path}/${key}`));
  return 'const' in node ? [path, ...found] : found;
}
