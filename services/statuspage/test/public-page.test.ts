import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { outgoingEvent } from '@tocsin/outbox';
import { DisruptionImpact, DisruptionStatus, DisruptionType } from '@tocsin/proto/disruption/v1/disruption';
import { MonitorCreatedSchema, MonitorStateChangedSchema, MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { ComponentStatus, ShownStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { type CreateStatusPageRequestSchema, Theme } from '@tocsin/proto/statuspage/v1/statuspage';
import { eventually, manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { aDisruption } from './a-disruption.ts';
import { component, componentsByName, freshSlug, group, statusPageFixture } from './statuspage-fixture.ts';

const NASTY = '<script>alert(1)</script>';
const clock = manualClock('2026-01-01T00:00:00Z');
const fixture = await statusPageFixture({ now: clock.now });
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

type Settings = Partial<Omit<MessageInitShape<typeof CreateStatusPageRequestSchema>, '$typeName'>>;

async function createPage(settings: Settings = {}) {
  const slug = freshSlug();
  const wanted = { name: 'Acme', slug, enabled: true, ...settings };
  const { statusPage } = await fixture.rpc.createStatusPage(wanted, us);
  const id = statusPage?.id ?? '';
  return { id, slug, url: `${fixture.url}/s/${slug}` };
}

async function pageWith(name: string) {
  const page = await createPage();
  const { statusPage } = await fixture.rpc.replaceStructure({ id: page.id, entries: [component({ name })] }, us);
  const componentId = componentsByName(statusPage?.entries)[name]?.id ?? '';
  const touched = (status: ComponentStatus) => [{ id: componentId, name, statusPageId: page.id, status }];
  return { ...page, touched };
}

async function textOf(url: string): Promise<string> {
  return (await fetch(url)).text();
}

test('an enabled page shows its components and that all systems are operational', async () => {
  const { id, url } = await createPage({ description: 'Everything we run' });
  const entries = [group('Core', [{ name: 'API', description: 'api.example.com' }]), component({ name: 'Website' })];
  await fixture.rpc.replaceStructure({ id, entries }, us);
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const text = await response.text();
  for (const words of ['Acme', 'Everything we run', 'Core', 'API', 'api.example.com', 'Website']) {
    expect(text).toContain(words);
  }
  expect(text).toContain('All systems operational');
  expect(text).toContain('Nothing was reported.');
  expect(text).toContain('<time datetime="2026-01-01T00:00:00.000Z">1 Jan 2026, 00:00 UTC</time>');
});

test('a group without components is not shown, and the address may have a trailing slash', async () => {
  const { id, url } = await createPage();
  await fixture.rpc.replaceStructure({ id, entries: [group('Core', [{ name: 'API' }]), group('Hollow', [])] }, us);
  const text = await textOf(`${url}/`);
  expect(text).toContain('Core');
  expect(text).not.toContain('Hollow');
});

test('a page without components does not claim that all systems are operational', async () => {
  const text = await textOf((await createPage()).url);
  expect(text).toContain('No components yet');
  expect(text).not.toContain('operational</span>');
});

test('a disruption that is recorded after its end is shown as past, and its components are operational', async () => {
  const { url, touched } = await pageWith('API');
  const end = timestampFromDate(new Date('2025-12-31T01:00:00Z'));
  const input = { title: 'No power', status: DisruptionStatus.RESOLVED, resolvedAt: end };
  await fixture.publish(aDisruption(organizationId, touched(ComponentStatus.OPERATIONAL), input).created());
  const text = await eventually(async () => {
    const shown = await textOf(url);
    expect(shown).toContain('No power');
    return shown;
  });
  expect(text).toContain('All systems operational');
  expect(text).not.toContain('Ongoing');
  expect(text).toMatch(/Last 14 days.*No power/s);
});

test('an edited entry gets its new text and a deleted entry disappears, even if the timeline in the event contains only other entries', async () => {
  const { url, touched } = await pageWith('API');
  const postedAt = timestampFromDate(new Date('2026-01-01T00:00:00Z'));
  const entry = (body: string) => ({
    id: v7(),
    status: DisruptionStatus.INVESTIGATING,
    body,
    postedAt,
    postedBy: 'jane@example.com',
  });
  const [newest, leaked, typo] = [entry('Newest entry'), entry('Leaked secret'), entry('A tpyo')];
  const updates = [newest, leaked, typo];
  const disruption = aDisruption(organizationId, touched(ComponentStatus.MAJOR_OUTAGE), { updates });
  await fixture.publish(disruption.created());
  await eventually(async () => expect(await textOf(url)).toContain('A tpyo'));
  const edits = { deletedUpdateIds: [leaked.id], editedUpdates: [{ ...typo, body: 'No typo', editedAt: postedAt }] };
  await fixture.publish(disruption.updated({ updates: [newest] }, edits));
  const text = await eventually(async () => {
    const shown = await textOf(url);
    expect(shown).toContain('No typo');
    return shown;
  });
  expect(text).toContain('Newest entry');
  expect(text).toContain(' · edited <time');
  expect(text).not.toContain('A tpyo');
  expect(text).not.toContain('Leaked secret');
});

test('a disruption is shown as ongoing until its end, and stays on the page for 14 days after its end', async () => {
  const { url, touched } = await pageWith('API');
  const disruption = aDisruption(organizationId, touched(ComponentStatus.MAJOR_OUTAGE));
  await fixture.publish(disruption.created());
  const open = await eventually(async () => {
    const text = await textOf(url);
    expect(text).toContain('Ongoing');
    return text;
  });
  expect(open).toMatch(/class="card banner is-major_outage is-solid".*Major outage/s);
  expect(open).toContain('API is down');
  expect(open).toContain('We are looking into it.');
  expect(open).not.toContain('jane@example.com');

  await fixture.publish(disruption.resolved('2026-01-01T01:00:00Z'));
  const over = await eventually(async () => {
    const text = await textOf(url);
    expect(text).not.toContain('Ongoing');
    return text;
  });
  expect(over).toContain('All systems operational');
  expect(over).toContain('API is down');

  clock.advance(14 * 24 * 3_600_000);
  expect(await textOf(url)).toContain('API is down');
  clock.advance(3_600_000);
  expect(await textOf(url)).not.toContain('API is down');
  clock.advance(-(14 * 24 + 1) * 3_600_000);
});

test('if the monitor of a component is new, stale or disabled, the banner says that not everything is being checked', async () => {
  const monitor = fixture.addMonitor(organizationId);
  const { id, url } = await createPage();
  const entries = [component({ name: 'API', monitors: [{ monitorId: monitor }] }), component({ name: 'Website' })];
  await fixture.rpc.replaceStructure({ id, entries }, us);
  const about = { organizationId, aggregateId: monitor };
  const is = (enabled: boolean, state: MonitorState) => ({ monitor: { id: monitor, organizationId, enabled, state } });
  const shows = (label: string, headline: string) =>
    eventually(async () => {
      const text = await textOf(url);
      expect(text).toMatch(new RegExp(`>API</bdi></a>.*?<span>${label}</span>`, 's'));
      expect(text).toContain(`<h2 class="headline">${headline}</h2>`);
    });
  const partly = 'No problems known, but not everything is being checked';

  await fixture.publish(outgoingEvent(MonitorCreatedSchema, is(true, MonitorState.UNSPECIFIED), about));
  await shows('No data', partly);
  await fixture.publish(outgoingEvent(MonitorStateChangedSchema, is(true, MonitorState.UP), about));
  await shows('Operational', 'All systems operational');
  await fixture.publish(outgoingEvent(MonitorStateChangedSchema, is(true, MonitorState.STALE), about));
  await shows('No data', partly);
  await fixture.publish(outgoingEvent(MonitorUpdatedSchema, is(false, MonitorState.STALE), about));
  await shows('Not monitored', partly);
});

test('the banner shows an open disruption without components', async () => {
  const { id, url } = await pageWith('API');
  const input = { title: 'Payments fail', impact: DisruptionImpact.CRITICAL, statusPageIds: [id] };
  const disruption = aDisruption(organizationId, [], input);
  await fixture.publish(disruption.created());
  await eventually(async () => {
    const text = await textOf(url);
    expect(text).toContain('Payments fail');
    expect(text).toMatch(/class="card banner is-major_outage is-solid".*Major outage/s);
    expect(text).toContain('Nothing else was reported.');
  });
  await fixture.publish(disruption.resolved('2026-01-01T01:00:00Z'));
  await eventually(async () => expect(await textOf(url)).toContain('All systems operational'));
});

test('an automatic disruption names components instead of monitors, and does not change texts that users wrote', async () => {
  const { url, touched } = await pageWith('Search');
  const body = 'We are on it.\n\nWhat was seen: logins fail';
  const posted = {
    postedAt: timestampFromDate(new Date('2026-01-01T00:00:00Z')),
    status: DisruptionStatus.INVESTIGATING,
  };
  const updates = [
    { id: v7(), body, ...posted },
    { id: v7(), body: 'prod-db-3 is not working', automatic: true, explanation: 'refused by 10.0.0.7', ...posted },
  ];
  const input = { title: 'prod-db-3 is down', automaticTitle: true, autoCreated: true, updates };
  await fixture.publish(aDisruption(organizationId, touched(ComponentStatus.DEGRADED_PERFORMANCE), input).created());
  await eventually(async () => {
    const text = await textOf(url);
    expect(text).toContain('Search: degraded performance');
    expect(text).toContain('Search is not working as expected. We are investigating.');
    expect(text).toContain('<p>We are on it.</p><p>What was seen: logins fail</p>');
    expect(text).not.toMatch(/prod-db-3|10\.0\.0\.7/);
  });
});

test('the impact of an automatic disruption on a page does not depend on the components of other pages', async () => {
  const mild = await pageWith('API');
  const severe = await pageWith('Web');
  const components = [
    ...severe.touched(ComponentStatus.MAJOR_OUTAGE),
    ...mild.touched(ComponentStatus.DEGRADED_PERFORMANCE),
  ];
  const input = { autoCreated: true, impact: DisruptionImpact.CRITICAL, statusPageIds: [mild.id, severe.id] };
  const disruption = aDisruption(organizationId, components, input);
  const statusOfPage = async ({ id }: { id: string }) =>
    (await fixture.rpc.getStatusPage({ id }, us)).statusPage?.shownStatus;
  await fixture.publish(disruption.created());
  await eventually(async () => {
    expect(await textOf(severe.url)).toMatch(/Major outage.*Critical impact/s);
    expect(await statusOfPage(severe)).toBe(ShownStatus.MAJOR_OUTAGE);
  });
  const text = await textOf(mild.url);
  expect(text).toMatch(/Some systems are degraded.*Minor impact/s);
  expect(text).not.toMatch(/Major outage|Critical impact/);
  expect(await statusOfPage(mild)).toBe(ShownStatus.DEGRADED_PERFORMANCE);

  // A person chose this impact, because it does not match the worst component.
  await fixture.publish(disruption.updated({ impact: DisruptionImpact.MAJOR }));
  await eventually(async () => {
    expect(await textOf(mild.url)).toMatch(/Partial outage.*Major impact/s);
    expect(await statusOfPage(mild)).toBe(ShownStatus.PARTIAL_OUTAGE);
  });
});

test('three disruptions of a flapping monitor on one day are shown as one entry with all three times', async () => {
  const { url, touched } = await pageWith('Search');
  const updates = [{ id: v7(), body: 'prod-db-3 works again', automatic: true, status: DisruptionStatus.RESOLVED }];
  for (const minute of [1, 2, 3]) {
    const startedAt = timestampFromDate(new Date(`2025-12-31T10:0${minute}:00Z`));
    const resolvedAt = timestampFromDate(new Date(`2025-12-31T10:0${minute}:40Z`));
    const input = {
      title: 'prod-db-3 is down',
      autoCreated: true,
      automaticTitle: true,
      status: DisruptionStatus.RESOLVED,
      startedAt,
      resolvedAt,
      updates: updates.map((update) => ({ ...update, id: v7(), postedAt: resolvedAt })),
    };
    await fixture.publish(aDisruption(organizationId, touched(ComponentStatus.DEGRADED_PERFORMANCE), input).created());
  }
  await eventually(async () => {
    const text = await textOf(url);
    expect(text).toContain('Search: degraded performance, 3 times, 2 minutes in total');
    expect(text.match(/<article/g)).toHaveLength(1);
    expect(text.match(/<li id="disruption-/g)).toHaveLength(3);
    expect(text).not.toContain('prod-db-3');
  });
});

test('scheduled maintenance is announced and does not change a status', async () => {
  const { url, touched } = await pageWith('API');
  const endsAt = timestampFromDate(new Date('2026-01-02T03:00:00Z'));
  const input = { title: 'New disks', type: DisruptionType.MAINTENANCE, status: DisruptionStatus.SCHEDULED, endsAt };
  await fixture.publish(aDisruption(organizationId, touched(ComponentStatus.UNDER_MAINTENANCE), input).created());
  const text = await eventually(async () => {
    const shown = await textOf(url);
    expect(shown).toContain('New disks');
    return shown;
  });
  expect(text).toContain('Scheduled maintenance');
  expect(text).toContain('will be');
  expect(text.replaceAll(/<[^>]+>/g, '')).toContain('1 Jan 2026, 00:00 UTC – 2 Jan 2026, 03:00 UTC');
  expect(text).toContain('All systems operational');
});

test('all tenant text is escaped', async () => {
  const { id, url } = await createPage({ name: NASTY, description: `"><img src=x onerror=alert(1)>${NASTY}` });
  const entries = [group(NASTY, [{ name: NASTY, description: NASTY }])];
  const { statusPage } = await fixture.rpc.replaceStructure({ id, entries }, us);
  const touched = {
    id: componentsByName(statusPage?.entries)[NASTY]?.id ?? '',
    name: NASTY,
    statusPageId: id,
    status: ComponentStatus.PARTIAL_OUTAGE,
  };
  const updates = [
    { id: v7(), status: DisruptionStatus.INVESTIGATING, body: NASTY, postedAt: { seconds: 0n, nanos: 0 } },
  ];
  await fixture.publish(aDisruption(organizationId, [touched], { title: NASTY, updates }).created());
  const text = await eventually(async () => {
    const shown = await textOf(url);
    expect(shown).toContain('Ongoing');
    return shown;
  });
  // The page has two scripts of its own.
  expect(text.split('<script')).toHaveLength(3);
  expect(text).not.toContain(NASTY);
  expect(text).not.toContain('<img');
  // The text occurs in these places: title, link preview, head (name and description, twice each), group, component
  // (name and description), title, component, update.
  expect(text.split('&lt;script&gt;alert(1)&lt;/script&gt;')).toHaveLength(12);
});

test("the content security policy allows only the page's own scripts and styles", async () => {
  const plain = await fetch((await createPage()).url);
  const strict = plain.headers.get('content-security-policy') ?? '';
  expect(strict).toContain("default-src 'none'");
  expect(strict).toMatch(/script-src 'sha256-[\w+/=]+' 'sha256-[\w+/=]+';/);
  expect(strict).toContain("connect-src 'self'");
  expect(strict).toContain('img-src data:;');
  expect(strict).not.toContain('unsafe');

  const rich = await fetch(
    (
      await createPage({
        showThemeSwitcher: true,
        theme: Theme.DARK,
        primaryColor: '#12ab34',
      })
    ).url,
  );
  const policy = rich.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/style-src 'sha256-[\w+/=]+' 'sha256-[\w+/=]+';/);
  expect(policy).toMatch(/script-src 'sha256-[\w+/=]+' 'sha256-[\w+/=]+' 'sha256-[\w+/=]+';/);
  const text = await rich.text();
  expect(text).toContain('data-theme="dark"');
  // The light theme uses a darker accent, because the contrast of the chosen one is too low.
  expect(text).toMatch(/:root { --accent: #0\w{5}; --link: #0\w{5}; }/);
  expect(text).toMatch(/:root\[data-theme="dark"\] { --accent: #12ab34; --link: #12ab34; }/);
  expect(text).toContain('data-choice="dark"');
});
