import { problemOfLine } from '@tocsin/text';

/** Maximum number of passkeys of a user. */
export const MAX_PASSKEYS = 20;

/** Time limit for signing a challenge. */
export const CHALLENGE_MS = 5 * 60_000;

/** A passkey as its user sees it. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Time of the last sign-in; undefined if there was none. */
  readonly lastUsedAt: Date | undefined;
}

/** Returns the reason why a text is not a valid name of a passkey; undefined if it is valid. */
export function problemOfPasskeyName(name: string): string | undefined {
  const problem = problemOfLine(name, 100);
  return problem && `The name ${problem}.`;
}
