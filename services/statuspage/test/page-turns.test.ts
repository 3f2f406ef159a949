import { outgoingEvent } from '@tocsin/outbox';
import { MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { eventually, manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { component, freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const clock = manualClock('2026-01-10T12:00:00Z');
const fixture = await statusPageFixture({ now: clock.now });
afterAll(() => fixture[Symbol.asyncDispose]());

/** Creates a public page with a component that is linked to a monitor that is up, and returns its URL. */
async function createPage(organizationId: string): Promise<string> {
  const as = await fixture.as(organizationId);
  const slug = freshSlug();
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug, enabled: true }, as);
  const monitorId = fixture.addMonitor(organizationId);
  const entries = [component({ name: 'API', monitors: [{ monitorId }] })];
  await fixture.rpc.replaceStructure({ id: statusPage?.id ?? '', entries }, as);
  const monitor = { id: monitorId, organizationId, enabled: true, state: MonitorState.UP };
  await fixture.publish(outgoingEvent(MonitorUpdatedSchema, { monitor }, { organizationId, aggregateId: monitorId }));
  await eventually(async () => {
    const rows = await fixture.tables.transaction({ organizationId }, (tx) =>
      tx.query('select from monitor_condition where monitor_id = $1', [monitorId]),
    );
    expect(rows).toHaveLength(1);
  });
  return `${fixture.url}/s/${slug}`;
}

const view = async (url: string) => (await fetch(url, { signal: AbortSignal.timeout(10_000) })).status;

test('pages of one organization that are slow to render do not delay the page of another organization', async () => {
  const [many, few] = [v7(), v7()];
  const pages = await Promise.all(Array.from({ length: 8 }, () => createPage(many)));
  const other = await createPage(few);
  for (const url of [...pages, other]) expect(await view(url)).toBe(200);

  // The last rounds are cached for less than this time.
  clock.advance(60_000);
  const gate = Promise.withResolvers<void>();
  const lastRounds = fixture.monitors.lastRounds;
  let held = 0;
  fixture.monitors.lastRounds = async (...parameters: readonly unknown[]) => {
    if (parameters[0] === many) {
      held += 1;
      await gate.promise;
    }
    return lastRounds();
  };
  const views = Promise.allSettled(pages.map(view));
  try {
    // Without this wait, the other page could be ready before the slow pages have their turns.
    await eventually(() => expect(held).toBe(2));
    expect(await view(other)).toBe(200);
    expect(held).toBe(2);
  } finally {
    gate.resolve();
  }
  expect(await views).toEqual(pages.map(() => ({ status: 'fulfilled', value: 200 })));
});
