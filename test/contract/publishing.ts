import { randomUUID } from 'node:crypto';
import { eventually } from '@tocsin/testing';
import { describe, expect, test } from 'vitest';
import { disruptionCalls, INSTANT, names, slow } from './disruption-calls.ts';
import type { Fixture } from './fixture.ts';

/** Tests disruptions that are published on status pages. */
export function publishing(fixture: () => Fixture): void {
  const { open, read, change, errorsOf, aPage } = disruptionCalls(fixture);
  const anInstant = expect.stringMatching(INSTANT);

  describe('publishing', () => {
    test.each(names)('in %s, a page and its components must be given together and must exist', async (path) => {
      const page = await aPage(fixture().mine, 'API', 'Web');
      const elsewhere = await aPage(fixture().mine, 'Elsewhere');
      const theirs = await aPage(fixture().theirs, 'Theirs');
      const { id } = await open();
      const own = { id: page.ids[0], status: 'major_outage' };
      const cases: [object, object][] = [
        [{ status_page_id: page.id }, { components: ['is required together with status_page_id'] }],
        [{ components: [own] }, { status_page_id: ['is required together with components'] }],
        [theirs.with('major_outage'), { status_page_id: ['is not a status page of this organization'] }],
        [
          { status_page_id: randomUUID(), components: [] },
          { status_page_id: ['is not a status page of this organization'] },
        ],
        [
          { status_page_id: 'nonsense', components: [] },
          { status_page_id: ['is not a status page of this organization'] },
        ],
        [
          { status_page_id: page.id, components: [own, ...elsewhere.with('operational').components, own, {}] },
          {
            'components.1.id': ['is not a component of this page'],
            'components.2.id': ['appears twice'],
            'components.3.id': ['is required'],
            'components.3.status': ['is required'],
          },
        ],
        [
          { status_page_id: page.id, components: [{ ...own, status: 'broken' }, 5] },
          {
            'components.0.status': [expect.stringContaining('must be one of operational')],
            'components.1': ['must be an object'],
          },
        ],
        [
          { status_page_id: page.id, components: [{ component_id: 5, severity: 'broken' }] },
          {
            'components.0.component_id': ['must be a string'],
            'components.0.severity': [expect.stringContaining('must be one of operational')],
          },
        ],
      ];
      for (const [body, errors] of cases) {
        expect(await errorsOf('POST', path, slow(body))).toEqual(errors);
        expect(await errorsOf('PATCH', `${path}/${id}`, body)).toEqual(errors);
      }
    });

    test.each(names)('in %s, components accept component_id and severity instead of id and status', async (path) => {
      const page = await aPage(fixture().mine, 'API', 'Web');
      const [first, second] = page.ids;
      const components = [
        { component_id: first, severity: 'degraded_performance' },
        { id: second, severity: 'major_outage' },
      ];
      const affected_components = [
        { id: second, name: 'Web', status: 'major_outage' },
        { id: first, name: 'API', status: 'degraded_performance' },
      ];
      const wanted = { status_page_id: page.id, components };
      const made = await open(path, wanted);
      expect(made).toMatchObject({ affected_components });
      expect((await fixture().mine.call('GET', `${path}?limit=1`)).body).toEqual({ data: [made] });
      const { id } = await open(path);
      expect((await change(id, wanted, path)).body).toMatchObject({ data: { affected_components } });
      const statuses = page.with('operational', 'partial_outage');
      expect((await change(id, statuses, path)).body).toMatchObject({
        data: { affected_components: [{ status: 'partial_outage' }, { status: 'operational' }] },
      });
      expect(await open(path, statuses)).toMatchObject({ affected_components: [{ id: second }, { id: first }] });
    });

    test('one PATCH changes all fields, and every page shows the changes', async () => {
      const page = await aPage(fixture().mine, 'API');
      const further = await aPage(fixture().mine, 'Shop');
      const { id } = await open('/disruptions', page.with('partial_outage'));
      await page.shows('Partial outage', 'Major outage');
      const { status, body } = await change(id, {
        title: 'No power',
        impact: 'critical',
        status: 'identified',
        message: 'A fuse.',
        started_at: '2026-01-01T09:00:00Z',
        ...further.with('major_outage'),
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        data: {
          title: 'No power',
          impact: 'critical',
          status: 'identified',
          started_at: '2026-01-01T09:00:00Z',
          updates: [
            { status: 'identified', body: 'A fuse.', posted_by: 'mine@example.com' },
            { status: 'investigating' },
          ],
          affected_components: [{ name: 'Shop' }, { name: 'API' }],
        },
      });
      await further.shows('Major outage', 'Partial outage');
      await further.shows('A fuse.', 'mine@example.com');
      // The impact of an open disruption applies to each of its pages, even to a page without affected components.
      await page.shows('Major outage', 'All systems operational');
      await page.shows('A fuse.', 'mine@example.com');

      const resolved = (await change(id, { status: 'resolved' }, '/incidents')).body;
      expect(resolved).toMatchObject({
        data: {
          resolved_at: anInstant,
          updates: [{ status: 'resolved', body: 'This is resolved.' }, {}, {}],
          affected_components: [{ status: 'operational' }, { status: 'operational' }],
        },
      });
      for (const one of [page, further]) await one.shows('All systems operational', 'Ongoing');

      // Reopening the disruption restores the statuses of its components.
      expect((await change(id, { status: 'monitoring' })).body).toMatchObject({
        data: { resolved_at: null, affected_components: [{ status: 'major_outage' }, { status: 'partial_outage' }] },
      });
      await further.shows('Major outage', 'All systems operational');
    });

    test.each(names)(
      'past disruptions created in %s are in the history of a page and cause no outage',
      async (path) => {
        const page = await aPage(fixture().mine, 'API');
        const subscription = await fixture().mine.create<{ id: string }>('/webhooks', {
          url: `${fixture().receiver.url}/recorded${path}`,
          events: ['disruption.created', 'disruption.updated', 'disruption.resolved'],
        });
        const hour = (ago: number) => new Date(Date.now() - ago * 3_600_000).toISOString();
        const recorded = await open(path, {
          title: 'No power',
          impact: 'critical',
          started_at: hour(5),
          resolved_at: hour(4),
          updates: [{ status: 'investigating', message: 'A fuse, perhaps.', posted_at: hour(5) }],
          ...page.with('major_outage'),
        });
        expect(recorded).toMatchObject({
          status: 'resolved',
          affected_components: [{ name: 'API', status: 'operational' }],
          updates: [{ status: 'resolved' }, { status: 'investigating', body: 'A fuse, perhaps.' }],
        });
        await page.shows('A fuse, perhaps.', 'Ongoing');
        await page.shows('All systems operational', 'Major outage');
        // The events of a disruption are delivered in order. When this update is listed, a delivery of an earlier event
        // would be listed as well.
        await change(recorded.id, { message: 'It was a fuse.' });
        await eventually(async () => {
          const { body } = await fixture().mine.call('GET', `/webhooks/${subscription.id}/deliveries`);
          const kinds = (body as { data: { event: string }[] }).data.map(({ event }) => event);
          expect(kinds).toEqual(['disruption.updated']);
        });
      },
    );

    test('an open disruption follows renamed and removed components, and one that has ended does not', async () => {
      const page = await aPage(fixture().mine, 'Checkout', 'API');
      const [checkout] = page.ids;
      const ended = await open('/disruptions', page.with('major_outage'));
      await change(ended.id, { status: 'resolved' });
      const { id } = await open('/disruptions', {
        title: 'Card errors',
        ...page.with('major_outage', 'partial_outage'),
      });
      const namesOf = async (path: string) => (await read(path)).affected_components.map(({ name }) => name);
      const component = `/status-pages/${page.id}/components/${checkout}`;
      expect(await fixture().mine.call('PATCH', component, { name: 'Payments' })).toMatchObject({ status: 200 });
      await eventually(async () => expect(await namesOf(`/disruptions/${id}`)).toEqual(['Payments', 'API']));
      const shown = async (path: string) => (await fetch(`${page.url}/${path}`)).text();
      await eventually(async () => {
        for (const path of [`incidents/${id}`, 'history.atom']) expect(await shown(path)).toContain('Payments');
      });
      expect(await fixture().mine.call('DELETE', component)).toMatchObject({ status: 204 });
      await eventually(async () => {
        expect(await namesOf(`/incidents/${id}`)).toEqual(['API']);
        const { incidents } = JSON.parse(await shown('api/v2/summary.json')) as {
          incidents: { id: string; components: { name: string }[] }[];
        };
        const found = incidents.find((incident) => incident.id === id);
        expect(found?.components.map(({ name }) => name)).toEqual(['API']);
        expect(await shown(`incidents/${id}`)).not.toMatch(/Payments|Checkout/);
      });
      const { affected_components: components } = await read(`/disruptions/${id}`);
      expect(await change(id, { status_page_id: page.id, components })).toMatchObject({ status: 200 });
      expect(await namesOf(`/disruptions/${ended.id}`)).toEqual(['Checkout']);
    });

    test('a component has the worst status of its open disruptions, and recovers when they are resolved', async () => {
      const page = await aPage(fixture().mine, 'API');
      const mild = await open('/disruptions', page.with('degraded_performance'));
      const bad = await open('/disruptions', page.with('major_outage'));
      await page.shows('Major outage', 'All systems operational');
      await fixture().mine.call('DELETE', `/incidents/${bad.id}`);
      await page.shows('Degraded performance', 'Major outage');
      await change(mild.id, page.with());
      await page.shows('Partial outage', 'Degraded performance');
      await change(mild.id, { status: 'resolved' });
      await page.shows('All systems operational', 'Partial outage');
    });
  });

  test('planned maintenance starts and completes automatically', async () => {
    const page = await aPage(fixture().mine, 'API');
    const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
    const { id, status } = await open('/disruptions', {
      type: 'maintenance',
      title: 'New disks',
      started_at: inSeconds(3),
      ends_at: inSeconds(6),
      ...page.with('under_maintenance'),
    });
    expect(status).toBe('scheduled');
    await page.shows('Scheduled maintenance', 'Maintenance has begun.');
    await page.shows('Maintenance has begun.', 'Scheduled maintenance');
    expect(await read(`/incidents/${id}`)).toMatchObject({
      type: 'maintenance',
      status: 'in_progress',
      resolved_at: null,
    });
    await page.shows('Maintenance is complete.', 'Ongoing');
    const { updates, resolved_at } = await read(`/disruptions/${id}`);
    expect(resolved_at).toMatch(INSTANT);
    expect(updates.map((update) => [update.status, update.posted_by])).toEqual([
      ['completed', 'tocsin@localhost'],
      ['in_progress', 'tocsin@localhost'],
      ['scheduled', 'mine@example.com'],
    ]);
  });
}
