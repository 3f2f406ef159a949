/**
 * Returns an SQL expression for a time at which work is due, of type timestamptz: in the past while the condition is
 * true, otherwise null.
 */
export function dueAtOnceIf(condition: string): string {
  return `case when ${condition} then timestamptz '-infinity' end`;
}
