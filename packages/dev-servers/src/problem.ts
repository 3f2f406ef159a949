/** An error that the user can fix. It is printed without a stack trace. */
export class Problem extends Error {
  override name = 'Problem';
}

/** Returns the text of any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of a system error (`ENOENT`) or database error (`57P03`); undefined if there is none. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
