import { expect, test } from 'vitest';
import { MONITOR, useTwoGateways } from './two-gateways-fixture.ts';

const gateways = useTwoGateways();

test('a read with a matching If-None-Match gets a 304 without a body', async () => {
  const first = await gateways.send(0, 'key-6', 'GET', MONITOR);
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^W\/"[\w-]+"$/);
  for (const header of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const again = await gateways.send(1, 'key-6', 'GET', MONITOR, { headers: { 'if-none-match': header } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  }
  expect((await gateways.send(0, 'key-6', 'GET', MONITOR, { headers: { 'if-none-match': '"other"' } })).status).toBe(
    200,
  );
});
