import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { createRuntime } from '@tocsin/runtime';
import { expect, test } from 'vitest';
import { statuspagePages } from './statuspage-pages.ts';

const { logger } = createRuntime('notifier', { logLevel: 'silent' });

function ask(response: (monitorId: string) => { components: { statusPageUrl: string }[] }) {
  const transport = createRouterTransport(({ service }) => {
    service(StatusPageService, { listLinkedComponents: ({ monitorId }) => response(monitorId) });
  });
  return statuspagePages(transport, logger).urlFor('o1', 'm1');
}

test('urlFor() returns the first public page that shows the monitor', async () => {
  const urls = ['', 'https://status.example.com/s/acme', 'https://status.example.com/s/other'];
  expect(await ask(() => ({ components: urls.map((statusPageUrl) => ({ statusPageUrl })) }))).toBe(urls[1]);
});

test('urlFor() returns undefined if no public page shows the monitor', async () => {
  expect(await ask(() => ({ components: [{ statusPageUrl: '' }] }))).toBeUndefined();
});

test('urlFor() returns undefined while statuspage is unavailable', async () => {
  const failing = ask(() => {
    throw new ConnectError('no', Code.Unavailable);
  });
  expect(await failing).toBeUndefined();
});
