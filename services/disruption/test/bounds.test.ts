import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Disruption } from '@tocsin/proto/disruption/v1/disruption';
import { UsageService } from '@tocsin/proto/usage/v1/usage';
import { createRpcClient, createTransport } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { deleteOldDisruptions } from '../src/app/delete-old-disruptions.ts';
import { aMonitor, disruptionFixture, SENDER } from './start-disruption.ts';

const DAY_MS = 24 * 3_600_000;

const fixture = await disruptionFixture();
const { rpc, tables, url } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const startedAt = timestampFromDate(new Date('2026-01-01T00:00:00Z'));

test('people can open disruptions up to the organization limit', async () => {
  const organizationId = v7();
  const as = await fixture.as(organizationId, { limits: { disruptions: 2 } });
  const open = (title: string) => rpc.createDisruption({ title, startedAt }, as);
  const first = await open('one');
  await open('two');
  await expect(open('three')).rejects.toMatchObject({
    kind: 'invalid',
    fields: { disruptions: ['are limited to 2 for this organization, which has 2'] },
  });
  const usage = createRpcClient(UsageService, createTransport({ url, service: 'disruption' }));
  expect((await usage.getUsage({}, await fixture.asService('gateway', organizationId))).used).toEqual({
    disruptions: 2n,
  });
  await rpc.deleteDisruption({ id: first.disruption?.id ?? '' }, as);
  await open('three');
});

test('automatic disruptions are opened even if the organization is at its limit', async () => {
  const monitor = aMonitor();
  const as = await fixture.as(monitor.organizationId, { limits: { disruptions: 0 } });
  await fixture.publish(monitor.wentDown('2026-01-01T00:00:00Z'));
  await eventually(async () => expect((await rpc.listDisruptions({}, as)).disruptions).toHaveLength(1));
});

test('automatic disruptions that ended more than 400 days ago are deleted, and other disruptions stay', async () => {
  const organizationId = v7();
  const as = await fixture.as(organizationId);
  const [ended, open] = [aMonitor({ organizationId, name: 'Ended' }), aMonitor({ organizationId, name: 'Open' })];
  const now = new Date('2027-06-01T00:00:00Z');
  const end = new Date(now.getTime() - 400 * DAY_MS);
  await fixture.publish(
    ended.wentDown(new Date(end.getTime() - DAY_MS).toISOString()),
    open.wentDown(new Date(end.getTime() - DAY_MS).toISOString()),
    ended.recovered(end.toISOString()),
  );
  await rpc.createDisruption(
    { title: 'By a person', startedAt: timestampFromDate(new Date('2020-01-01T00:00:00Z')), resolvedAt: startedAt },
    as,
  );
  const titles = async () => (await rpc.listDisruptions({}, as)).disruptions.map(({ title }) => title).sort();
  await eventually(async () => expect(await titles()).toHaveLength(3));
  const deleteAt = async (time: number) => {
    const components = {
      whileDown: async () => [],
      onPageWhileDown: async () => new Map(),
      namesOnPage: async () => undefined,
    };
    const deps = { database: tables, components, senderAddress: SENDER, now: () => new Date(time) };
    expect(await deleteOldDisruptions(deps)).toBe('done');
  };
  await eventually(async () => {
    const rows = await tables.transaction('every organization', (tx) =>
      tx.query('select from disruption where organization_id = $1 and auto_created and resolved_at = $2', [
        organizationId,
        end,
      ]),
    );
    expect(rows).toHaveLength(1);
  });
  await deleteAt(now.getTime());
  expect(await titles()).toEqual(['By a person', 'Ended is down', 'Open is down']);
  await deleteAt(now.getTime() + 1);
  expect(await titles()).toEqual(['By a person', 'Open is down']);
});

const MANY_COMPONENTS = `
  insert into affected_component (disruption_id, component_id, organization_id, name, status, status_page_id, position)
  select d.id, gen_random_uuid(), d.organization_id, 'API', 'major_outage', gen_random_uuid(), position
  from disruption d, generate_series(1, 500) as position where d.organization_id = $1`;
const LONG_EXPLANATIONS = `
  insert into disruption_update (id, disruption_id, organization_id, status, body, explanation, automatic, posted_at,
                                 posted_by, silent)
  select gen_random_uuid(), d.id, d.organization_id, 'investigating', 'Down', repeat('x', 10000), true, now(), 'Tocsin',
         false
  from disruption d, generate_series(1, 10) where d.organization_id = $1`;

test.each([
  ['many affected components', MANY_COMPONENTS],
  ['long explanations', LONG_EXPLANATIONS],
])('a list of disruptions with %s has several parts', async (_, insert) => {
  const organizationId = v7();
  const as = await fixture.as(organizationId);
  const ids = Array.from({ length: 50 }, () => v7());
  await tables.transaction({ organizationId }, async (tx) => {
    await tx.query(
      `insert into disruption (id, organization_id, title, automatic_title, type, status, impact, auto_created,
                               started_at, status_page_ids, hidden_page_ids, created_at, updated_at)
       select id, $1, 'Slow', false, 'disruption', 'investigating', 'major', false, now(), '{}', '{}', now(), now()
       from unnest($2::uuid[]) as id`,
      [organizationId, ids],
    );
    await tx.query(insert, [organizationId]);
  });

  const parts: Disruption[][] = [];
  let cursor = '';
  do {
    const { disruptions, nextCursor } = await rpc.listDisruptions({ cursor }, as);
    parts.push(disruptions);
    cursor = nextCursor;
  } while (cursor !== '' && parts.length <= ids.length);
  expect(parts.flat().map(({ id }) => id)).toEqual(ids.toReversed());
  // Each disruption has about 100 kB, and a part ends at 2 MB.
  expect(parts.map(({ length }) => length)).toEqual([21, 21, 8]);
});
