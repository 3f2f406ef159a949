import type { FailureKind } from '../protocol.ts';

/** A failure that the sandbox itself detects. Its stack is that of the call in the script. */
export class CheckError extends Error {
  readonly kind: FailureKind;

  constructor(message: string, kind: FailureKind, asked: Error) {
    super(message);
    this.kind = kind;
    this.stack = asked.stack ?? '';
    if (made.length === REMEMBERED) made.shift();
    made.push(this);
  }
}

const REMEMBERED = 100;
const made: CheckError[] = [];

/**
 * Returns the newest CheckError with the same message as an error that the script's module threw, or the error itself
 * if there is none. This is necessary because the module throws copies, which contain only the message.
 */
export function originalOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CheckError) return error;
  return made.findLast(({ message }) => message === error.message) ?? error;
}
