import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { eventSubject } from '@tocsin/outbox';
import {
  AutomaticText,
  DisruptionStatus,
  DisruptionType,
  type DisruptionUpdateSchema,
} from '@tocsin/proto/disruption/v1/disruption';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { type PageNoticePosted, PageNoticePostedSchema, PageUpdatedSchema } from '@tocsin/proto/statuspage/v1/events';
import { Locale } from '@tocsin/proto/statuspage/v1/statuspage';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { aDisruption } from './a-disruption.ts';
import { component, componentsByName, freshSlug, statusPageFixture } from './statuspage-fixture.ts';

let ahead = 0;
const now = () => new Date(Date.now() + ahead);
const fixture = await statusPageFixture({ now });
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

const notices: PageNoticePosted[] = [];
const updates: { id: string; deleted: boolean; takesSubscribers: boolean | undefined }[] = [];
fixture.nats.subscribe(eventSubject(PageNoticePostedSchema.typeName), {
  callback(_, message) {
    notices.push(fromBinary(PageNoticePostedSchema, message.data));
  },
});
fixture.nats.subscribe(eventSubject(PageUpdatedSchema.typeName), {
  callback(_, message) {
    const { statusPageId: id, deleted, takesSubscribers } = fromBinary(PageUpdatedSchema, message.data);
    updates.push({ id, deleted, takesSubscribers });
  },
});

async function pageWith({ subscribersEnabled = true, locale = Locale.EN as Locale } = {}) {
  const slug = freshSlug();
  const settings = { name: 'Acme', slug, enabled: true, subscribersEnabled, locale };
  const { statusPage } = await fixture.rpc.createStatusPage(settings, us);
  const id = statusPage?.id ?? '';
  const structure = { id, entries: [component({ name: 'API' })] };
  const tree = componentsByName((await fixture.rpc.replaceStructure(structure, us)).statusPage?.entries);
  const api = { id: tree.API?.id ?? '', name: 'API', statusPageId: id, status: ComponentStatus.MAJOR_OUTAGE };
  return { id, slug, api };
}

type Update = Partial<Omit<MessageInitShape<typeof DisruptionUpdateSchema>, '$typeName'>>;

function entry(body: string, changes: Update = {}) {
  const postedAt = timestampFromDate(now());
  return { id: v7(), status: DisruptionStatus.INVESTIGATING, body, postedAt, ...changes };
}

const outage = (monitorId: string) => ({
  autoCreated: true,
  automaticTitle: true,
  monitorId,
  createdAt: timestampFromDate(now()),
  updates: [entry('prod-db-3 is down', { automatic: true, automaticText: AutomaticText.WENT_DOWN })],
});

const textsFor = ({ id }: { id: string }) => notices.filter((one) => one.statusPageId === id).map(({ body }) => body);
const expectTexts = (page: { id: string }, texts: string[]) =>
  eventually(() => expect(textsFor(page)).toEqual(texts), { timeoutMs: 15_000 });

test('what a person reports is announced at once, on each page with subscribers, in the words of the page', async () => {
  const [english, german, without] = [
    await pageWith(),
    await pageWith({ locale: Locale.DE }),
    await pageWith({ subscribersEnabled: false }),
  ];
  const first = entry('Search is **slow**.\n\n- since 10:00');
  const disruption = aDisruption(organizationId, [english.api], {
    title: 'Slow search',
    statusPageIds: [english.id, german.id, without.id],
    updates: [first],
  });
  await fixture.publish(disruption.created());
  await expectTexts(english, ['Search is slow.\n- since 10:00']);
  await expectTexts(german, ['Search is slow.\n- since 10:00']);
  const url = `http://tocsin.test/s/${english.slug}`;
  expect(notices.find(({ statusPageId }) => statusPageId === english.id)).toMatchObject({
    pageName: 'Acme',
    pageUrl: url,
    locale: Locale.EN,
    disruptionId: disruption.id,
    updateId: first.id,
    subject: 'Investigating: Slow search · Acme',
    headline: 'Investigating: Slow search',
    color: '#b91c1c',
    details: [{ label: 'Affected components', value: 'API' }],
    url: `${url}/incidents/${disruption.id}`,
  });
  const [inGerman] = notices.filter(({ statusPageId }) => statusPageId === german.id);
  expect([inGerman?.locale, inGerman?.headline, inGerman?.details]).toEqual([
    Locale.DE,
    'Wird untersucht: Slow search',
    [],
  ]);

  // An edited entry and a silent one are not announced, and neither is an entry that is recorded later.
  const edited = { ...first, body: 'edited' };
  await fixture.publish(disruption.updated({ updates: [edited] }, { editedUpdates: [edited] }));
  const silent = entry('silent', { silent: true });
  await fixture.publish(disruption.updated({ updates: [silent, edited] }));
  const old = entry('old', { postedAt: timestampFromDate(new Date(now().getTime() - 2 * 3_600_000)) });
  await fixture.publish(disruption.updated({ updates: [silent, old, edited] }));
  const last = entry('Fixed.', { status: DisruptionStatus.RESOLVED });
  await fixture.publish(disruption.updated({ updates: [last, silent, old, edited], resolvedAt: last.postedAt }));
  await expectTexts(english, ['Search is slow.\n- since 10:00', 'Fixed.']);
  expect(textsFor(without)).toEqual([]);
});

test('a notice about a maintenance contains its period', async () => {
  const page = await pageWith({ locale: Locale.DE });
  const maintenance = aDisruption(organizationId, [page.api], {
    type: DisruptionType.MAINTENANCE,
    title: 'New disks',
    statusPageIds: [page.id],
    startedAt: timestampFromDate(new Date('2036-03-02T10:00:00Z')),
    endsAt: timestampFromDate(new Date('2036-03-02T11:30:00Z')),
    updates: [entry('We replace disks.', { status: DisruptionStatus.SCHEDULED })],
  });
  await fixture.publish(maintenance.created());
  await expectTexts(page, ['We replace disks.']);
  expect(notices.find(({ statusPageId }) => statusPageId === page.id)?.details).toEqual(
    [
      { label: 'Zeitraum', value: '2. März 2036, 10:00 UTC – 2. März 2036, 11:30 UTC' },
      { label: 'Betroffene Komponenten', value: 'API' },
    ].map((detail) => expect.objectContaining(detail)),
  );
});

test('a past disruption is not announced, and no page announces disruptions of another organization', async () => {
  const page = await pageWith();
  const resolvedAt = timestampFromDate(now());
  const past = entry('It is over.', { status: DisruptionStatus.RESOLVED });
  await fixture.publish(aDisruption(organizationId, [page.api], { updates: [past], resolvedAt }).created());
  const foreign = aDisruption(v7(), [], { statusPageIds: [page.id], updates: [entry('foreign')] });
  await fixture.publish(foreign.created());
  await fixture.publish(aDisruption(organizationId, [page.api], { updates: [entry('now')] }).created());
  await expectTexts(page, ['now']);
});

test('an automatic disruption is announced after five minutes, with its end, and once an hour', async () => {
  const page = await pageWith();
  const monitorId = v7();
  const short = aDisruption(organizationId, [page.api], outage(monitorId));
  await fixture.publish(short.created(), short.resolved(now().toISOString()));
  const lasting = aDisruption(organizationId, [page.api], outage(monitorId));
  await fixture.publish(lasting.created());
  const waiting = () =>
    fixture.tables.transaction('every organization', (tx) =>
      tx.query('select from announcement where status_page_id = $1 and due_at is not null', [page.id]),
    );
  await eventually(async () => expect(await waiting()).toHaveLength(1));
  expect(textsFor(page)).toEqual([]);
  ahead += 5 * 60_000;
  const opened = 'API is not working as expected. We are investigating.';
  await expectTexts(page, [opened]);
  expect(notices.at(-1)).toMatchObject({ headline: 'Investigating: API: major outage' });
  const end = entry('x', { status: DisruptionStatus.RESOLVED, automatic: true, automaticText: AutomaticText.ENDED });
  await fixture.publish(
    lasting.updated({ updates: [end], status: DisruptionStatus.RESOLVED, resolvedAt: timestampFromDate(now()) }),
  );
  await eventually(() => expect(textsFor(page)).toHaveLength(2));

  const again = aDisruption(organizationId, [page.api], outage(monitorId));
  const other = aDisruption(organizationId, [page.api], outage(v7()));
  await fixture.publish(again.created(), other.created());
  await eventually(async () => expect(await waiting()).toHaveLength(2));
  ahead += 6 * 60_000;
  await expectTexts(page, [opened, textsFor(page)[1] ?? '', opened]);
  expect(notices.at(-1)?.disruptionId).toBe(other.id);
  ahead += 60 * 60_000;
  await eventually(() => expect(notices.at(-1)?.disruptionId).toBe(again.id), { timeoutMs: 15_000 });
});

test('a page that is hidden or whose subscriptions are disabled announces nothing, and says so', async () => {
  const page = await pageWith();
  const waiting = aDisruption(organizationId, [page.api], outage(v7()));
  await fixture.publish(waiting.created());
  await eventually(async () => {
    const rows = await fixture.tables.transaction('every organization', (tx) =>
      tx.query('select from announcement where status_page_id = $1', [page.id]),
    );
    expect(rows).toHaveLength(1);
  });
  await fixture.rpc.updateStatusPage({ id: page.id, subscribersEnabled: false }, us);
  ahead += 6 * 60_000;
  await eventually(
    async () => {
      const rows = await fixture.tables.transaction('every organization', (tx) =>
        tx.query('select from announcement where status_page_id = $1', [page.id]),
      );
      expect(rows).toEqual([]);
    },
    { timeoutMs: 15_000 },
  );
  await fixture.rpc.updateStatusPage({ id: page.id, subscribersEnabled: true, enabled: false }, us);
  await fixture.rpc.updateStatusPage({ id: page.id, enabled: true }, us);
  await fixture.rpc.deleteStatusPage({ id: page.id }, us);
  const about = () => updates.filter(({ id }) => id === page.id);
  await eventually(() => expect(about().at(-1)?.deleted).toBe(true));
  expect(about().map(({ takesSubscribers }) => takesSubscribers)).toEqual([
    true,
    undefined,
    false,
    false,
    true,
    undefined,
  ]);
  expect(textsFor(page)).toEqual([]);
});
