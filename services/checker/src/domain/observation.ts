import type { CheckOutcome } from '@tocsin/enums';
import type { Certificate } from './certificate.ts';
import type { ScriptRun } from './script-run.ts';

/**
 * Milliseconds that each phase took; absent when it was not reached. After redirects: those of the last hop, but
 * `total` of all.
 */
export interface Phases {
  dns?: number;
  connect?: number;
  tls?: number;
  firstByte?: number;
  total?: number;
}

/** Returns milliseconds with two decimals: finer differences are noise. */
export function rounded(phases: Phases): Phases {
  return Object.fromEntries(Object.entries(phases).map(([phase, ms]) => [phase, Math.round(ms * 100) / 100]));
}

/** What a check saw. */
export interface Observation {
  readonly outcome: CheckOutcome;
  /** What went wrong, for a person; empty for a pass. Never contains a header, a body or a secret. */
  readonly error: string;
  readonly statusCode?: number;
  readonly phases: Phases;
  /** What the target showed in the TLS handshake; absent without one. */
  readonly certificate?: Certificate | undefined;
  /** What a script did; absent for other types than synthetic. */
  readonly run?: ScriptRun | undefined;
}
