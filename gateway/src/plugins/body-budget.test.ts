import { expect, test } from 'vitest';
import { BodyBudget } from './body-budget.ts';

const KB = 1024;

test('a tenant can reserve bytes up to its limit, and one more byte is refused', () => {
  const budget = new BodyBudget({ bytes: 1_000 * KB, bytesPerTenant: 100 * KB });
  expect(budget.take('a', 60 * KB)).toBeDefined();
  expect(budget.take('a', 40 * KB + 1)).toBeUndefined();
  const release = budget.take('a', 40 * KB);
  expect(release).toBeDefined();
  expect(budget.take('a', 1)).toBeUndefined();
  release?.();
  expect(budget.take('a', 40 * KB)).toBeDefined();
});

test('all tenants share a limit, which does not apply to small bodies', () => {
  const budget = new BodyBudget({ bytes: 150 * KB, bytesPerTenant: 100 * KB });
  budget.take('a', 100 * KB);
  expect(budget.take('b', 50 * KB + 1)).toBeUndefined();
  expect(budget.take('b', 50 * KB)).toBeDefined();
  expect(budget.used).toBe(150 * KB);
  expect(budget.take('c', 16 * KB + 1)).toBeUndefined();
  expect(budget.take('c', 16 * KB)).toBeDefined();
});

test('bytes are released only once, even if the release function is called twice', () => {
  const budget = new BodyBudget({ bytes: 100 * KB, bytesPerTenant: 100 * KB });
  const release = budget.take('a', 60 * KB);
  budget.take('a', 40 * KB);
  release?.();
  release?.();
  expect(budget.used).toBe(40 * KB);
  expect(budget.take('a', 61 * KB)).toBeUndefined();
});
