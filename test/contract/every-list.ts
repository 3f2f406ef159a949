import { describe, expect, test } from 'vitest';
import { rows } from './access.ts';
import type { Fixture } from './fixture.ts';
import { pathOf } from './path-of.ts';

/** What holds for every list, whatever it lists. */
export function everyList(fixture: () => Fixture): void {
  const lists = Object.entries(rows).filter(
    ([name]) =>
      name.startsWith('GET ') &&
      !/(\{id\}|\/me|\/(state|uptime|response-times|cert|custom-domain|screenshot))$/.test(name),
  );

  test('these are all operations that take a cursor', () => {
    const described = fixture().document.operations.filter(({ parameters }) =>
      parameters?.some(({ name }) => name === 'cursor'),
    );
    expect(lists.map(([name]) => name).sort()).toEqual(described.map(({ name }) => name).sort());
  });

  describe.each(lists)('%s', (name, { of }) => {
    test.each([
      ...['0', '201', '-1', '1.5', 'x', ''].map((value) => ['limit', value]),
      ...['x', '%00', 'ä'].map((value) => ['cursor', value]),
    ])('%s=%s is refused', async (field = '', value) => {
      const path = pathOf(name, (await of?.(fixture())) ?? '');
      const answer = await fixture().mine.call('GET', `${path}?${field}=${value}`);
      expect(answer).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
      expect(Object.keys((answer.body as { error: { errors: object } }).error.errors)).toEqual([field]);
    });

    test.each(['1', '200'])('limit=%s is fine', async (limit) => {
      const path = pathOf(name, (await of?.(fixture())) ?? '');
      const answer = await fixture().mine.call('GET', `${path}?limit=${limit}`);
      expect(answer).toMatchObject({ status: 200 });
      expect((answer.body as { data: unknown[] }).data.length).toBeLessThanOrEqual(Number(limit));
    });
  });
}
