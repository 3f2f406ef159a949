/** An error that the person at the terminal can act upon: printed as a sentence, without a stack. */
export class Problem extends Error {
  override name = 'Problem';
}

/** Returns the text of any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** The code of a system error (`ENOENT`), or of a database's (`57P03`). */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
