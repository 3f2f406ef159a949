import type { CheckOutcome } from '@tocsin/enums';
import type { Certificate } from './certificate.ts';
import type { ScriptRun } from './script-run.ts';

/**
 * Milliseconds of each phase; absent for a phase that was not reached. After redirects, all values except `total`
 * describe the last hop.
 */
export interface Phases {
  dns?: number;
  connect?: number;
  tls?: number;
  firstByte?: number;
  total?: number;
}

/** Rounds milliseconds to two decimals. */
export function rounded(phases: Phases): Phases {
  const result: Phases = {};
  for (const [phase, ms] of Object.entries(phases) as [keyof Phases, number][]) {
    result[phase] = Math.round(ms * 100) / 100;
  }
  return result;
}

/** Observed outcome of a check. */
export interface Observation {
  readonly outcome: CheckOutcome;
  /** Description of the failure; empty for a pass. Never contains a header, a body or a secret. */
  readonly error: string;
  readonly statusCode?: number;
  readonly phases: Phases;
  /** Maximum response time in milliseconds, if it is the only assertion that failed. */
  readonly maxResponseTimeMs?: number;
  /** Certificate of the target; absent without TLS. */
  readonly certificate?: Certificate | undefined;
  /** Record of the script run; synthetic checks only. */
  readonly run?: ScriptRun | undefined;
}
