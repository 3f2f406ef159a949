import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { rows } from './access.ts';
import { type Fixture, idleMonitor, newPage } from './fixture.ts';
import { pathOf } from './path-of.ts';

/** Tests the query parameter `validate_only`, which every request with a body accepts. */
export function validateOnly(fixture: () => Fixture): void {
  const call: Fixture['mine']['call'] = (...request) => fixture().mine.call(...request);

  /**
   * Returns the response to a GET of a path, or of the nearest readable path above it, without the times at which keys
   * were last used.
   */
  async function readAt(path: string): Promise<string> {
    const response = await call('GET', path);
    if (response.status !== 200) return readAt(path.slice(0, path.lastIndexOf('/')));
    return response.text.replaceAll(/"last_used_at":("[^"]*"|null)/g, '');
  }

  describe.each(Object.entries(rows).filter(([, { body }]) => body !== undefined))('%s', (name, { of, body }) => {
    if (name.startsWith('POST ')) {
      test('a request that was only validated does not use up its idempotency key', async () => {
        const path = pathOf(name, (await of?.(fixture())) ?? '');
        const headers = { 'idempotency-key': randomUUID() };
        const sent = body?.();
        expect((await call('POST', `${path}?validate_only=true`, sent, headers)).status).toBe(204);
        const done = await call('POST', path, sent, headers);
        expect(done.status).toBeLessThan(300);
        expect(done.headers.has('idempotency-replayed')).toBe(false);
      });
    }

    test('a valid request with validate_only gets a 204 and changes nothing', async () => {
      const [method = ''] = name.split(' ');
      const path = pathOf(name, (await of?.(fixture())) ?? '');
      const before = await readAt(path);
      const response = await call(method, `${path}?validate_only=true`, body?.());
      expect(response).toMatchObject({ status: 204, text: '' });
      expect(await readAt(path)).toBe(before);
    });
  });

  const withoutBody = Object.entries(rows).filter(([name, { body }]) => body === undefined && !name.startsWith('GET'));

  test.each(withoutBody)(
    '%s does nothing with validate_only, because it has no body to validate',
    async (name, { of }) => {
      const [method = ''] = name.split(' ');
      const path = pathOf(name, (await of?.(fixture())) ?? '');
      const before = await readAt(path);
      for (const value of ['true', 'maybe', '']) {
        expect(await call(method, `${path}?validate_only=${value}`)).toMatchObject({
          status: 422,
          body: { error: { errors: { validate_only: [expect.stringContaining('nothing was done')] } } },
        });
      }
      expect(await readAt(path)).toBe(before);
    },
  );

  test('validate_only reports schema errors and errors that only the service can find', async () => {
    const page = newPage();
    expect(await call('POST', '/status-pages', page)).toMatchObject({ status: 201 });
    expect(await call('POST', '/status-pages?validate_only=true', { ...page, name: '', theme: 'blue' })).toMatchObject({
      status: 422,
      body: { error: { errors: { name: ['is required'], theme: [expect.any(String)] } } },
    });
    expect(await call('POST', '/status-pages?validate_only=true', page)).toMatchObject({
      status: 422,
      body: { error: { errors: { slug: ['is taken'] } } },
    });
    const alert_channel_ids = ['01920000-0000-7000-8000-000000000000'];
    expect(await call('POST', '/monitors?validate_only=true', { ...idleMonitor(), alert_channel_ids })).toMatchObject({
      status: 422,
      body: { error: { errors: { 'alert_channel_ids.0': ['is not an alert channel of this organization'] } } },
    });
    const missing = '/monitors/01920000-0000-7000-8000-000000000000?validate_only=true';
    expect(await call('PATCH', missing, { name: 'x' })).toMatchObject({ status: 404 });
  });

  test('validate_only=false makes the change, and a value other than true and false is refused', async () => {
    expect(await call('POST', '/monitors?validate_only=false', idleMonitor())).toMatchObject({ status: 201 });
    expect(await call('POST', '/monitors?validate_only=maybe', idleMonitor())).toMatchObject({
      status: 422,
      body: { error: { errors: { validate_only: [expect.any(String)] } } },
    });
  });

  test('validate_only needs the same permission as the change', async () => {
    const reader = await fixture().mine.callWith(['monitors:read']);
    expect(await reader('POST', '/monitors?validate_only=true', idleMonitor())).toMatchObject({ status: 403 });
  });
}
