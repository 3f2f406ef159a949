import { BlockedAddressError, type Target, wordsFor } from '@tocsin/netguard';
import type { Certificate } from '../../domain/certificate.ts';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { Observation, Phases } from '../../domain/observation.ts';
import { nothingReceived, type TlsReceived } from './limit-tls.ts';

/** Progress of a check. Probes update it, so that a timeout can report the current activity. */
export interface CheckTrace {
  phases: Phases;
  target: Target | undefined;
  /** Current activity, such as "still resolving the name". */
  doing: string;
  certificate: Certificate | undefined;
  statusCode: number | undefined;
  /** Suffix of error texts after a redirect, such as " (after a redirect to example.com)"; otherwise empty. */
  where: string;
  /** Whether the check has ended. After the end, nothing may be started. */
  ended: boolean;
  /**
   * Closes open connections. Assign a constant: V8 keeps a function expression that is assigned to a property, and the
   * check with it, until a full garbage collection.
   */
  close: () => void;
  readonly tls: TlsReceived;
  /** Ends the check with an error. Does nothing after the end. */
  readonly abort: (error: CheckFailure) => void;
}

/** Result of a check. Without a failure, the check has passed. */
export interface CheckOutcome {
  /** Description of the assertion that failed. */
  readonly failure?: string | undefined;
  /** See Observation. */
  readonly maxResponseTimeMs?: number;
}

const outOfTime = Symbol('out of time');

/**
 * Runs a check within its time limit and returns the observation. Closes open connections at the end of the check. A
 * thrown error becomes an outcome with an error text.
 */
export async function runTraced(
  timeoutMs: number,
  check: (trace: CheckTrace) => Promise<CheckOutcome>,
): Promise<Observation> {
  const started = performance.now();
  const { promise: end, reject } = Promise.withResolvers<never>();
  const trace = newCheckTrace(reject);
  const timer = setTimeout(reject, timeoutMs, outOfTime);
  try {
    const { failure, ...limit } = await Promise.race([check(trace), end]);
    return { ...seen(failure === undefined ? 'pass' : 'fail', failure ?? ''), ...limit };
  } catch (error) {
    if (error === outOfTime) return seen('timeout', `no response within ${timeoutMs} ms, ${trace.doing}${trace.where}`);
    if (error instanceof CheckFailure) return seen(error.outcome, `${error.message}${trace.where}`);
    const words =
      error instanceof BlockedAddressError || !trace.target
        ? messageOf(error)
        : wordsFor(error, trace.target, trace.phases.firstByte !== undefined);
    return seen('error', `${words}${trace.where}`);
  } finally {
    clearTimeout(timer);
    trace.ended = true;
    trace.close();
  }

  function seen(outcome: Observation['outcome'], error: string): Observation {
    const { phases, certificate, statusCode } = trace;
    phases.total = performance.now() - started;
    return { outcome, error, phases, ...(statusCode && { statusCode }), ...(certificate && { certificate }) };
  }
}

function newCheckTrace(abort: CheckTrace['abort']): CheckTrace {
  return {
    phases: {},
    target: undefined,
    doing: 'still starting',
    certificate: undefined,
    statusCode: undefined,
    where: '',
    ended: false,
    close() {},
    tls: nothingReceived(),
    abort,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
