/** What the person at the terminal can act upon: shown as a sentence, without a stack. */
export class Problem extends Error {
  override name = 'Problem';
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** The code of a system error (`ENOENT`), or of a database's (`57P03`). */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
