import { expect, test } from 'vitest';
import { watchRegions } from './watch-regions.ts';

test('the loss of all checkers of a region is reported once, and the return of a checker is reported once', async () => {
  const served = new Set(['a', 'b']);
  const lost = new Set<string>();
  const announced: string[] = [];
  const watch = () =>
    watchRegions(['a', 'b'], { isServed: async (region) => served.has(region) }, lost, {
      onLook: () => undefined,
      onChange: (region, isServed) => announced.push(`${region} ${isServed}`),
    });
  await watch();
  served.delete('b');
  await watch();
  await watch();
  served.add('b');
  await watch();
  await watch();
  expect(announced).toEqual(['b false', 'b true']);
});

test('a region that has no checker at the first lookup is reported', async () => {
  const announced: string[] = [];
  await watchRegions(['a'], { isServed: async () => false }, new Set(), {
    onLook: () => undefined,
    onChange: (region) => announced.push(region),
  });
  expect(announced).toEqual(['a']);
});
