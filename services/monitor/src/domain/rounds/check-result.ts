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
  /** TLS certificate of the target; undefined without TLS. */
  readonly certificate?: Certificate | undefined;
  /** Script run of a synthetic check; undefined for other check types. */
  readonly script?: ScriptRun | undefined;
}
