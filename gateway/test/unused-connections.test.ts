import { once } from 'node:events';
import { connect } from 'node:net';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { closeUnusedConnections } from '../src/plugins/unused-connections.ts';

test('at shutdown, the server closes connections without a request, and completes a running request', async () => {
  const app = fastify({ forceCloseConnections: 'idle' });
  closeUnusedConnections(app);
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  app.get('/', async () => {
    begun.resolve();
    await finish.promise;
    return 'done';
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const response = fetch(url, { headers: { connection: 'close' } });
  const unused = connect(Number(new URL(url).port), '127.0.0.1');
  await Promise.all([once(unused, 'connect'), begun.promise]);
  const closed = app.close();
  await once(unused, 'close');
  finish.resolve();
  expect(await (await response).text()).toBe('done');
  await closed;
});
