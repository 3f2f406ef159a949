import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { rows } from './access.ts';
import type { Fixture } from './fixture.ts';
import { pathOf } from './path-of.ts';

/** Tests idempotency keys, which every POST accepts. */
export function everyPost(fixture: () => Fixture): void {
  const posts = Object.entries(rows).filter(([name]) => name.startsWith('POST '));

  describe.each(posts)('%s', (name, { of, body }) => {
    async function request() {
      const { mine } = fixture();
      const path = pathOf(name, (await of?.(fixture())) ?? '');
      const sent = body?.();
      return (key: string, changed = sent) => mine.call('POST', path, changed, { 'idempotency-key': key });
    }

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
}
