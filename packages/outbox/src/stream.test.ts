import { expect, test } from 'vitest';
import { keptSettings } from './stream.ts';

test('a byte limit and a larger number of replicas that an operator has set are kept', () => {
  expect(keptSettings({ max_bytes: 500, num_replicas: 3 }, { num_replicas: 1 })).toEqual({
    max_bytes: 500,
    num_replicas: 3,
  });
  expect(keptSettings({ max_bytes: -1, num_replicas: 1 }, { num_replicas: 3 })).toEqual({ num_replicas: 3 });
});
