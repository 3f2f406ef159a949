const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration in its two largest units: "45 s", "3 min", "2 h 5 min", "1 d 4 h". */
export function spellDuration(milliseconds: number): string {
  let rest = Math.round(milliseconds / 1000);
  const first = UNITS.findIndex(([, seconds]) => rest >= seconds);
  if (first < 0) return '0 s';
  const parts = UNITS.slice(first, first + 2).map(([unit, seconds]) => {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}
