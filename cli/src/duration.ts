import { UsageError } from './errors.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Returns a duration such as `90s`, `5m` or `1h30m` in milliseconds. A number without a unit is in seconds.
 * @throws UsageError for other text.
 */
export function durationMs(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text) * 1_000;
  if (!/^(\d{1,7}[smhd])+$/.test(text)) {
    throw new UsageError(`${JSON.stringify(text)} is not a duration such as 90s, 5m or 1h30m.`);
  }
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  );
}
