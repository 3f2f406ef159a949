import type { MonitorState } from '@tocsin/enums';
import { expect, test } from 'vitest';
import { addressOf, alertKindOf } from './alert.ts';

test.each([
  ['up', 'down', 'monitor_down'],
  ['pending', 'down', 'monitor_down'],
  [undefined, 'down', 'monitor_down'],
  ['stale', 'down', 'monitor_down'],
  ['down', 'up', 'monitor_recovered'],
  ['up', 'stale', 'monitor_stale'],
  ['pending', 'stale', 'monitor_stale'],
  ['pending', 'up', undefined],
  ['stale', 'up', 'monitor_recovered'],
  [undefined, 'up', undefined],
  ['down', 'pending', undefined],
  [undefined, 'pending', undefined],
] as [MonitorState | undefined, MonitorState, string | undefined][])(
  'a change from state %s to %s causes the alert %s',
  (previous, state, kind) => {
    expect(alertKindOf(previous, state)).toBe(kind);
  },
);

test.each([
  [{ url: 'https://example.com/health?x=1' }, 'https://example.com/health?x=1'],
  [{ url: 'https://jane:hunter2@example.com/' }, 'https://example.com/'],
  [{ url: 'https://example.com/a\u0000b' }, 'https://example.com/a%00b'],
  [{ url: 'nonsense' }, ''],
  [{ host: 'db.example.com', port: 5432 }, 'db.example.com:5432'],
  [{ host: 'example.com' }, 'example.com'],
  [{ host: 'a\u0000b' }, ''],
  [{ expected_interval: 60 }, ''],
])('the address of a monitor with the configuration %j is "%s"', (config, address) => {
  expect(addressOf(config)).toBe(address);
});
