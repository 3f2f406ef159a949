import type { CheckOutcome } from '@tocsin/enums';
import type { Certificate } from '../certificates/certificate.ts';
import type { ScriptRun } from './script-run.ts';

/** Milliseconds per phase; undefined when it was not reached. */
export interface Phases {
  readonly dns?: number | undefined;
  readonly connect?: number | undefined;
  readonly tls?: number | undefined;
  readonly firstByte?: number | undefined;
  readonly total?: number | undefined;
}

/** What one region saw in one round; monitor, region and round identify it. */
export interface CheckResult {
  readonly monitorId: string;
  readonly roundAt: Date;
  readonly region: string;
  readonly outcome: CheckOutcome;
  readonly error: string;
  /** HTTP status; undefined when there was none. */
  readonly statusCode: number | undefined;
  readonly phases: Phases;
  readonly checkedAt: Date;
  /** What the target showed; undefined without TLS. */
  readonly certificate?: Certificate | undefined;
  /** What the script did; undefined for other types than synthetic. */
  readonly script?: ScriptRun | undefined;
}
