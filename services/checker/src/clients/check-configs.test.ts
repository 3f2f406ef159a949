import { createRouterTransport } from '@connectrpc/connect';
import { CheckConfigService } from '@tocsin/proto/monitor/v1/checks';
import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { expect, test } from 'vitest';
import { remoteCheckConfigs } from './check-configs.ts';

test('a request for the configuration of one organization is not delayed by a thousand requests of another organization', async () => {
  const calls: { readonly ids: readonly string[]; readonly respond: () => void }[] = [];
  let isSlow = true;
  const transport = createRouterTransport(({ service }) => {
    service(CheckConfigService, {
      getCheckConfigs: async ({ monitorIds }) => {
        if (isSlow) await new Promise<void>((respond) => calls.push({ ids: monitorIds, respond }));
        return { configs: monitorIds.map((monitorId) => ({ monitorId, version: 1n, checkType: CheckType.HTTP })) };
      },
    });
  });
  const configs = remoteCheckConfigs(transport);
  const others = Array.from({ length: 1_000 }, (_, index) => configs.get(`other ${index}`, 1, 'other'));
  const own = configs.get('own', 1, 'acme');
  const called = async (count: number) => {
    while (calls.length < count) await new Promise(setImmediate);
  };

  // At most four calls run at once, each for at most 20 monitors.
  await called(4);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(calls).toHaveLength(4);
  for (const { ids } of calls) expect(ids.length).toBeLessThanOrEqual(20);
  calls[0]?.respond();
  await called(5);
  expect(calls[4]?.ids).toContain('own');
  calls[4]?.respond();
  expect(await own).toMatchObject({ monitorId: 'own', version: 1 });

  isSlow = false;
  for (const { respond } of calls) respond();
  expect((await Promise.all(others)).map((config) => config?.monitorId)).toContain('other 999');
});
