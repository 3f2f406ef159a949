import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { rows } from './access.ts';
import type { Fixture } from './fixture.ts';
import { pathOf } from './path-of.ts';

/** Tests idempotency keys, which every POST accepts. */
export function everyPost(fixture: () => Fixture): void {
  const posts = Object.entries(rows).filter(([name]) => name.startsWith('POST '));

  describe.each(posts)('%s', (name, { of, body }) => {
    const request = () => requestOf(fixture(), name, { of, body });

    test('a repeated request with an idempotency key is executed once and gets the same response', async () => {
      const send = await request();
      const key = randomUUID();
      const first = await send(key);
      expect(first.status).toBeLessThan(300);
      const again = await send(key);
      expect(again).toMatchObject({ status: first.status, text: first.text });
      expect(first.headers.has('idempotency-replayed')).toBe(false);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    });

    test('an idempotency key that another request has used is refused', async () => {
      const send = await request();
      const key = randomUUID();
      await send(key);
      const other = await send(key, { ...body?.(), comment: 'another' });
      expect(other).toMatchObject({
        status: 422,
        body: { error: { errors: { 'idempotency-key': [expect.any(String)] } } },
      });
    });

    test.each(['x'.repeat(256), 'with a space', ' '])('the invalid idempotency key %j is refused', async (key) => {
      const send = await request();
      const response = await send(key);
      expect(response).toMatchObject({
        status: 422,
        body: { error: { errors: { 'idempotency-key': [expect.any(String)] } } },
      });
    });
  });
  const changing = posts.filter(([name]) => !SENDS_OR_ASKS.test(name));
  test.each(changing)('%s has an effect only once, even if its first response was lost', async (name, row) => {
    const { mine } = fixture();
    const send = await requestOf(fixture(), name, row);
    const key = randomUUID();
    const first = await send(key);
    const list = async () => idsIn(await mine.call('GET', send.path.replace(/\/batch$/, '')));
    const before = first.status === 201 ? await list() : [];
    await loseResponse(fixture(), key);
    const again = await send(key);
    expect(again.headers.has('idempotency-replayed')).toBe(false);
    if (name === 'POST /api/v1/api-keys') {
      const { id } = (first.body as { data: { id: string } }).data;
      expect(again).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining(id) } } });
    } else expect(again).toMatchObject({ status: first.status, body: first.body });
    if (first.status === 201) expect(await list()).toEqual(before);
  });
}

/** Operations that send something to another server or ask one, and do so again when they are repeated. */
const SENDS_OR_ASKS = /\/(test|check|redeliver|replay|verify)$/;

/** Returns a function that sends a request with an idempotency key. Its path is relative to `/api/v1`. */
async function requestOf(fixture: Fixture, name: string, { of, body }: (typeof rows)[string]) {
  const path = pathOf(name, (await of?.(fixture)) ?? '');
  const sent = body?.();
  const send = (key: string, changed = sent) => fixture.mine.call('POST', path, changed, { 'idempotency-key': key });
  return Object.assign(send, { path });
}

/** Does to the gateway's table what a crash before the storage of the response does, and lets two minutes pass. */
async function loseResponse({ network }: Fixture, key: string): Promise<void> {
  const client = new pg.Client({ connectionString: network.installation.postgres?.url });
  await client.connect();
  const lost = await client.query(
    `update gateway.idempotent_answer set status = null, sealed_body = null, claimed_until = now() where key = $1`,
    [key],
  );
  await client.end();
  expect(lost.rowCount).toBe(1);
}

function idsIn({ body }: { body: unknown }): string[] {
  return (body as { data: { id: string }[] }).data.map(({ id }) => id);
}
