import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { createRuntime } from '@tocsin/runtime';
import { expect, test } from 'vitest';
import { monitorMaintenance } from './monitor-maintenance.ts';

const { logger } = createRuntime('notifier', { logLevel: 'silent' });

/** Reads whether the monitor `m1` is under maintenance from a monitor service with the given response. */
function covers(respond: (ids: string[]) => { ids: string[] }) {
  const transport = createRouterTransport(({ service }) => {
    service(MonitorService, { listUnderMaintenance: ({ ids }) => respond(ids) });
  });
  return monitorMaintenance(transport, logger).covers('o1', 'm1');
}

test.each([
  [['m1'], true],
  [[], false],
])('if the monitors %j are under maintenance, the response for m1 is %s', async (ids, expected) => {
  const requested: string[][] = [];
  const covered = await covers((wanted) => {
    requested.push(wanted);
    return { ids };
  });
  expect(covered).toBe(expected);
  expect(requested).toEqual([['m1']]);
});

test('a monitor counts as not under maintenance while the monitor service is unavailable', async () => {
  const failing = covers(() => {
    throw new ConnectError('no', Code.Unavailable);
  });
  expect(await failing).toBe(false);
});
