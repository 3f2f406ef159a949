import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { createRuntime } from '@tocsin/runtime';
import { expect, test } from 'vitest';
import { monitorMaintenance } from './monitor-maintenance.ts';

const { logger } = createRuntime('notifier', { logLevel: 'silent' });

/** Returns whether the monitor `m1` counts as under maintenance when the monitor service sends the given response. */
function covers(respond: (ids: string[]) => { ids: string[] }) {
  const transport = createRouterTransport(({ service }) => {
    service(MonitorService, { listUnderMaintenance: ({ ids }) => respond(ids) });
  });
  return monitorMaintenance(transport, logger).covers('o1', 'm1');
}

test.each([
  [['m1'], true],
  [[], false],
])('if the monitors %j are under maintenance, covers() returns %s for m1', async (ids, expected) => {
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
