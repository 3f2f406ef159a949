import { describe, expect, test } from 'vitest';
import type { Fixture } from './fixture.ts';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly actor: string;
  readonly target_id: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | null;
  readonly credential_id: string | null;
  readonly occurred_at: string;
}

/** Tests the audit log of an organization. */
export function auditLog(fixture: () => Fixture): void {
  const list = async (query = ''): Promise<Entry[]> => {
    const { status, body } = await fixture().mine.call('GET', `/audit-log${query}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    return (body as { data: Entry[] }).data;
  };
  const search = (filters: Record<string, string>) => list(`?${new URLSearchParams(filters)}`);

  test('the audit log shows who created and revoked a key, from where, and with which credential', async () => {
    const before = Date.now();
    const { id, key } = await fixture().mine.create<{ id: string; key: string }>('/api-keys', {
      name: 'Audited',
      permissions: ['monitors:read'],
    });
    expect((await fixture().mine.call('DELETE', `/api-keys/${id}`)).status).toBe(204);
    const [revoked, created] = (await list('?limit=20')).filter((entry) => entry.target_id === id);
    expect(created).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      action: 'api_key.created',
      actor: expect.stringMatching(/@/),
      target_id: id,
      details: expect.objectContaining({ name: 'Audited', permissions: ['monitors:read'], expires_at: null }),
      address: '127.0.0.1',
      credential_id: expect.stringMatching(/^[\da-f-]{36}$/),
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(Date.parse(created?.occurred_at ?? '')).toBeGreaterThan(before - 1_000);
    const { actor, address, credential_id } = created ?? {};
    expect(revoked).toMatchObject({ action: 'api_key.revoked', actor, address, credential_id });
    expect(JSON.stringify(await list())).not.toContain(key);
  });

  test("the audit log shows the operator's actions without an address or a credential", async () => {
    const [entry] = (await list()).filter(({ action }) => action === 'organization.created');
    expect(entry).toMatchObject({ actor: 'service:admin', address: null, credential_id: null });
  });

  test('the audit log can be filtered by action, actor and time', async () => {
    const all = await list();
    const created = await search({ action: 'api_key.created' });
    expect(created).toEqual(all.filter(({ action }) => action === 'api_key.created'));
    const byOperator = await search({ actor: 'SERVICE:admin' });
    expect(byOperator).toEqual(all.filter(({ actor }) => actor === 'service:admin'));
    expect([created.length, byOperator.length].every((count) => count > 0)).toBe(true);
    const last = all.at(-1)?.occurred_at ?? '';
    expect(await search({ until: last })).toEqual([]);
    expect(await search({ since: last })).toEqual(all);
    expect(await search({ since: '2999-01-01T00:00:00+02:00' })).toEqual([]);
    expect(await search({ action: 'nothing.happened' })).toEqual([]);
  });

  test('the audit log is read in pages, newest first', async () => {
    const all = await list();
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    const first = await fixture().mine.call('GET', '/audit-log?limit=1&actor=service:admin');
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect(next).toContain('actor=service%3Aadmin');
    const second = await fixture().mine.call('GET', next.replace('/api/v1', ''));
    const expected = all.filter(({ actor }) => actor === 'service:admin');
    const pages = [first, second].map(({ body }) => (body as { data: Entry[] }).data);
    expect(pages.flat()).toEqual(expected.slice(0, 2));
  });

  describe.each(['since', 'until'])('the query parameter %s', (name) => {
    test.each(['yesterday', '2026-11-20', '2026-11-20T10:00:00', '2026-02-30T10:00:00Z', ''])(
      'the value %j is refused because it is not a valid time with an offset',
      async (value) => {
        const response = await fixture().mine.call('GET', `/audit-log?${name}=${value}`);
        expect(response).toMatchObject({ status: 422, body: { error: { errors: { [name]: [expect.any(String)] } } } });
      },
    );
  });

  test.each([
    ['action', 64],
    ['actor', 320],
  ])('the query parameter %s has at most %i characters', async (name, max) => {
    expect(await search({ [name]: 'x'.repeat(max) })).toEqual([]);
    const response = await fixture().mine.call('GET', `/audit-log?${name}=${'x'.repeat(max + 1)}`);
    expect(response).toMatchObject({ status: 422, body: { error: { errors: { [name]: [expect.any(String)] } } } });
  });

  test('the audit log contains no entries of another organization', async () => {
    const { body } = await fixture().theirs.call('GET', '/audit-log');
    const theirs = (body as { data: Entry[] }).data;
    expect(theirs.length).toBeGreaterThan(0);
    const mine = new Set((await list()).map(({ id }) => id));
    expect(theirs.filter(({ id }) => mine.has(id))).toEqual([]);
  });
}
