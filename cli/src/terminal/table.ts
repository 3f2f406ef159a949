import stringWidth from 'string-width';
import { cut, fill, oneLine } from './text.ts';

const GAP = '  ';
/** No column is made narrower than this. */
const MIN_WIDTH = 8;

/**
 * Returns a table with a line for each row, under a line with the titles. If it is wider than `maxWidth`, the widest
 * columns are cut.
 */
export function table(titles: readonly string[], rows: readonly (readonly string[])[], maxWidth = Infinity): string {
  const lines = [titles, ...rows].map((row) => row.map(oneLine));
  const widths = fit(
    titles.map((_, column) => Math.max(...lines.map((line) => stringWidth(line[column] ?? '')))),
    maxWidth - GAP.length * (titles.length - 1),
  );
  return lines
    .map((line) => line.map((cell, column) => fill(cut(cell, widths[column] ?? 0), widths[column] ?? 0)).join(GAP))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** Returns the column widths. Reduces the widest ones until all columns fit, but not below MIN_WIDTH. */
function fit(wanted: readonly number[], available: number): number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= MIN_WIDTH) break;
    widths[widest] = width - 1;
    excess -= 1;
  }
  return widths;
}
