import { describe, expect, test } from 'vitest';
import { rows } from './access.ts';
import type { Fixture } from './fixture.ts';
import { pathOf } from './path-of.ts';

/** Tests the rules for every list. */
export function everyList(fixture: () => Fixture): void {
  const lists = Object.entries(rows).filter(
    ([name]) =>
      name.startsWith('GET ') &&
      !/(\{id\}|\/me|\/(state|uptime|response-times|cert|custom-domain|screenshot))$/.test(name),
  );

  test('the tested lists are exactly the operations that have a cursor parameter', () => {
    const described = fixture().document.operations.filter(({ parameters }) =>
      parameters?.some(({ name }) => name === 'cursor'),
    );
    expect(lists.map(([name]) => name).sort()).toEqual(described.map(({ name }) => name).sort());
  });

  describe.each(lists)('%s', (name, { of }) => {
    test.each([
      ...['0', '-1', '1.5', 'x', ''].map((value) => ['limit', value]),
      ...['x', '%00', 'ä'].map((value) => ['cursor', value]),
    ])('the query %s=%s is refused with an error for the parameter', async (field = '', value) => {
      const path = pathOf(name, (await of?.(fixture())) ?? '');
      const response = await fixture().mine.call('GET', `${path}?${field}=${value}`);
      expect(response).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
      expect(Object.keys((response.body as { error: { errors: object } }).error.errors)).toEqual([field]);
    });

    test('limits from 1 to the maximum in the document are accepted, and a higher limit is refused', async () => {
      const path = pathOf(name, (await of?.(fixture())) ?? '');
      const { parameters = [] } = fixture().document.operations.find((operation) => operation.name === name) ?? {};
      const max = Number(parameters.find((parameter) => parameter.name === 'limit')?.schema.maximum);
      expect([200, 1_000]).toContain(max);
      for (const limit of [1, max]) {
        const response = await fixture().mine.call('GET', `${path}?limit=${limit}`);
        expect(response).toMatchObject({ status: 200 });
        expect((response.body as { data: unknown[] }).data.length).toBeLessThanOrEqual(limit);
      }
      expect(await fixture().mine.call('GET', `${path}?limit=${max + 1}`)).toMatchObject({
        status: 422,
        body: { error: { message: `limit must be between 1 and ${max}` } },
      });
    });
  });
}
