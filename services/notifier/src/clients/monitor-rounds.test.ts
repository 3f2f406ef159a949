import { create, toJson } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { checkOutcomes } from '@tocsin/enums';
import { HistoryService, type ListRunsRequest, ListRunsRequestSchema } from '@tocsin/proto/monitor/v1/history';
import { createRuntime } from '@tocsin/runtime';
import { expect, test } from 'vitest';
import { monitorRounds } from './monitor-rounds.ts';

const { logger } = createRuntime('notifier', { logLevel: 'silent' });
const TIME = new Date('2026-01-01T10:00:00Z');

async function latest(until?: Date) {
  const requests: ListRunsRequest[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(HistoryService, {
      listRuns(request) {
        requests.push(request);
        const results = [{ region: 'eu', error: 'status 502', outcome: checkOutcomes.toValue('fail') }];
        return { runs: [{ roundAt: timestampFromDate(TIME), results }] };
      },
    });
  });
  const rounds = await monitorRounds(transport, logger).latest('o1', 'm1', until);
  return {
    rounds,
    requests: requests.map((request) => toJson(ListRunsRequestSchema, create(ListRunsRequestSchema, request))),
  };
}

test('the last five rounds of a monitor are requested, with the results of each region', async () => {
  const { rounds, requests } = await latest();
  expect(requests).toEqual([{ monitorId: 'm1', limit: 5 }]);
  expect(rounds).toEqual([{ at: TIME, results: [{ region: 'eu', error: 'status 502', outcome: 'fail' }] }]);
});

test('the round at the end of the time range is included', async () => {
  const { requests } = await latest(TIME);
  expect(requests).toEqual([{ monitorId: 'm1', limit: 5, before: '2026-01-01T10:00:00.001Z' }]);
});

test('latest() returns undefined while the monitor service is unavailable', async () => {
  const transport = createRouterTransport(({ service }) => {
    service(HistoryService, {
      listRuns() {
        throw new ConnectError('no', Code.Unavailable);
      },
    });
  });
  expect(await monitorRounds(transport, logger).latest('o1', 'm1')).toBeUndefined();
});
