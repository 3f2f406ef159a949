import type { FailureKind } from '../protocol.ts';

/** A failure that the sandbox detects itself, with the stack of the script's call. */
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
 * Returns the original failure of an error that the script's module threw. The module copies errors, and a copy
 * contains only the message.
 */
export function originalOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CheckError) return error;
  return made.findLast(({ message }) => message === error.message) ?? error;
}
