import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { disruptionCalls, INSTANT, names } from './disruption-calls.ts';
import type { Fixture } from './fixture.ts';

/** Tests changes of a disruption's timeline. */
export function timelineEdits(fixture: () => Fixture): void {
  const { open, change, errorsOf, aPage } = disruptionCalls(fixture);

  interface Timeline {
    readonly updates: readonly { readonly id: string; readonly body: string; readonly edited_at: string | null }[];
    readonly affected_components: readonly object[];
  }

  describe.each(names)('%s', (path) => {
    const read = async (id: string) =>
      ((await fixture().mine.call('GET', `${path}/${id}`)).body as { data: Timeline }).data;

    /** Opens a disruption with two timeline entries. */
    async function withTwoUpdates(changes: object = {}) {
      const { id } = await open(path, { message: 'First', ...changes });
      await change(id, { message: 'The password is hunter2' }, path);
      const { updates } = await read(id);
      return { id, updates: `${path}/${id}/updates`, newest: updates[0]?.id ?? '', oldest: updates[1]?.id ?? '' };
    }

    test('the text of an update can be changed', async () => {
      const page = await aPage(fixture().mine, 'API');
      const { id, updates, newest } = await withTwoUpdates(page.with('major_outage'));
      expect((await read(id)).updates.map(({ edited_at }) => edited_at)).toEqual([null, null]);
      const { status, body } = await fixture().mine.call('PATCH', `${updates}/${newest}`, {
        message: 'We are on it.',
        notify: false,
      });
      expect(status).toBe(200);
      expect((body as { data: Timeline }).data.updates).toMatchObject([
        { id: newest, body: 'We are on it.', edited_at: expect.stringMatching(INSTANT) },
        { body: 'First', edited_at: null },
      ]);
      expect((body as { data: Timeline }).data.affected_components).toMatchObject([{ name: 'API' }]);
      expect(await read(id)).toEqual((body as { data: Timeline }).data);
    });

    test.each([
      [{}, { message: ['is required'] }],
      [{ message: '' }, { message: ['is required'] }],
      [{ message: 5 }, { message: ['must be a string'] }],
      [{ message: 'x'.repeat(10_001) }, { message: ['must be at most 10000 characters'] }],
      [{ message: 'x', notify: 'no' }, { notify: ['must be true or false'] }],
    ])('a PATCH of a timeline update is refused if a field is missing or invalid', async (body, errors) => {
      const { updates, newest } = await withTwoUpdates();
      expect(await errorsOf('PATCH', `${updates}/${newest}`, body)).toEqual(errors);
    });

    test('an update can be deleted if the timeline has another update', async () => {
      const { id, updates, newest, oldest } = await withTwoUpdates();
      expect((await fixture().mine.call('DELETE', `${updates}/${newest}`)).status).toBe(204);
      expect((await read(id)).updates).toMatchObject([{ id: oldest, body: 'First' }]);
      expect(await fixture().mine.call('DELETE', `${updates}/${oldest}`)).toMatchObject({
        status: 409,
        body: { error: { type: 'conflict', message: expect.stringContaining('must keep one update') } },
      });
    });

    test('an unknown update is not found', async () => {
      const { updates, newest } = await withTwoUpdates();
      const elsewhere = await withTwoUpdates();
      for (const id of [randomUUID(), 'x', elsewhere.newest]) {
        for (const [method, body] of [['PATCH', { message: 'x' }], ['DELETE']] as const) {
          const response = await fixture().mine.call(method, `${updates}/${id}`, body);
          expect(response).toMatchObject({ status: 404, body: { error: { message: 'update not found' } } });
        }
      }
      expect((await fixture().mine.call('DELETE', `${elsewhere.updates}/${newest}`)).status).toBe(404);
    });

    test('a disruption can be removed from a page', async () => {
      const page = await aPage(fixture().mine, 'API');
      const { id } = await open(path, page.with('major_outage'));
      const { status, body } = await change(id, { status_page_id: page.id, components: null }, path);
      expect([status, (body as { data: Timeline }).data.affected_components]).toEqual([200, []]);
      await page.shows('All systems operational', 'Slow');
      expect(await errorsOf('PATCH', `${path}/${id}`, { status_page_id: page.id, components: null })).toEqual({
        status_page_id: ['is not a page that it is published to'],
      });
      expect(await errorsOf('PATCH', `${path}/${id}`, { components: null })).toEqual({
        status_page_id: ['is required together with components'],
      });
    });

    test('the field notify must be true or false', async () => {
      const { id } = await open(path, { notify: false });
      expect((await change(id, { message: 'More', notify: true }, path)).status).toBe(200);
      expect(await errorsOf('PATCH', `${path}/${id}`, { notify: 1 })).toEqual({ notify: ['must be true or false'] });
      const wrong = { title: 'Slow', started_at: '2026-01-01T10:00:00Z', notify: null };
      expect(await errorsOf('POST', path, wrong)).toEqual({ notify: ['must not be null'] });
    });
  });
}
