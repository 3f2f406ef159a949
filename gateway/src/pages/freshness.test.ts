import { expect, test } from 'vitest';
import { nextStep } from './freshness.ts';

const NOW = 1_000;
const current = { freshUntil: NOW + 1, isOutdated: false, failures: 0, retryAt: 0 };

test.each([
  ['a current page', current, 'send'],
  ['a page whose validity ends now', { ...current, freshUntil: NOW }, 'wait'],
  ['a changed page', { ...current, isOutdated: true }, 'wait'],
  [
    'a changed page before the next attempt',
    { ...current, isOutdated: true, failures: 1, retryAt: NOW + 1 },
    'send as of',
  ],
  [
    'a changed page at the next attempt',
    { ...current, isOutdated: true, failures: 1, retryAt: NOW },
    'send as of and refresh',
  ],
  [
    'a page whose validity ended and whose refresh failed',
    { ...current, freshUntil: NOW, failures: 3, retryAt: NOW },
    'send as of and refresh',
  ],
] as const)('nextStep() returns "$2" for $0', (_, freshness, step) => expect(nextStep(freshness, NOW)).toBe(step));
