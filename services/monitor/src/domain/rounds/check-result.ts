import type { CheckOutcome } from '@tocsin/enums';
import type { Certificate } from '../certificates/certificate.ts';
import type { ScriptRun } from './script-run.ts';

/** Duration of each phase of a check, in milliseconds; undefined for a phase that was not reached. */
export interface Phases {
  readonly dns?: number | undefined;
  readonly connect?: number | undefined;
  readonly tls?: number | undefined;
  readonly firstByte?: number | undefined;
  readonly total?: number | undefined;
}

/** Result of a check in one region and round. The result is identified by its monitor, region and round. */
export interface CheckResult {
  readonly monitorId: string;
  readonly roundAt: Date;
  readonly region: string;
  readonly outcome: CheckOutcome;
  readonly error: string;
  /** HTTP status code; undefined without an HTTP response. */
  readonly statusCode: number | undefined;
  readonly phases: Phases;
  readonly checkedAt: Date;
  /** Time at which the check ended; undefined if an earlier version of the checker sent the result. */
  readonly finishedAt?: Date | undefined;
  /** TLS certificate of the target; undefined without TLS. */
  readonly certificate?: Certificate | undefined;
  /** Script run of a synthetic check; undefined for other check types. */
  readonly script?: ScriptRun | undefined;
}

/**
 * Returns the milliseconds between the end of a check and `now`. Without the time of the end, the check counts as ended
 * after the duration of its phases.
 */
export function resultDelayMs({ checkedAt, finishedAt, phases }: CheckResult, now: Date): number {
  const end = finishedAt?.getTime() ?? checkedAt.getTime() + (phases.total ?? 0);
  return Math.max(0, now.getTime() - end);
}
