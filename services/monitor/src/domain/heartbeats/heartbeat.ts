import type { CheckOutcome, HeartbeatSignal } from '@tocsin/enums';
import { spellDuration } from '@tocsin/text';
import type { Monitor } from '../monitors/monitor.ts';
import type { Phases } from '../rounds/check-result.ts';
import { type Confirmation, type EvaluatorState, evaluate, initialEvaluatorState } from '../rounds/evaluate.ts';

/** Schedule on which a heartbeat monitor expects pings. */
export interface Rhythm {
  /** Seconds between pings. */
  readonly expectedSeconds: number;
  /** Number of consecutive missed pings after which the monitor fails. */
  readonly misses: number;
}

/** State of a heartbeat monitor's pings. The monitor's evaluator state is stored separately. */
export interface Heartbeat extends Rhythm {
  /** Time by which the next ping must arrive; otherwise it counts as missed. */
  readonly missAt: Date;
  /** Time at which the running job signaled its start; undefined while no job is running. */
  readonly jobStartedAt: Date | undefined;
  /** Reason why the monitor is failing; empty while it is not. */
  readonly lastError: string;
}

/** State and confirmation settings of a heartbeat monitor at one moment. */
export interface HeartbeatState {
  readonly heartbeat: Heartbeat;
  readonly evaluatorState: EvaluatorState | undefined;
  readonly confirmation: Confirmation;
}

/** A ping or a missed ping as a result in the check history. */
export interface HeartbeatResult {
  readonly at: Date;
  readonly outcome: CheckOutcome;
  readonly error: string;
  readonly phases: Phases;
}

export interface Change {
  readonly evaluatorState: EvaluatorState;
  readonly error: string;
  readonly explanation: string;
}

/**
 * State of a heartbeat monitor after a signal or a deadline, with the new entry in its history and the state change.
 */
export interface Step extends HeartbeatState {
  readonly beat?: HeartbeatResult;
  /** State change that this step caused; absent if the state is unchanged. */
  readonly change?: Change;
}

/**
 * Maximum delay of a decision that depends on missed pings, in milliseconds. Such a decision is dropped if it is
 * delayed longer, because the service was probably down and could not receive pings.
 */
const GRACE_MS = 15_000;

const REPORTED = 'the job reported a failure';

export function rhythmOf({ configJson, intervalSeconds }: Pick<Monitor, 'configJson' | 'intervalSeconds'>): Rhythm {
  const config: { expected_interval?: number; consecutive_misses?: number } = JSON.parse(configJson);
  return { expectedSeconds: config.expected_interval ?? intervalSeconds, misses: config.consecutive_misses ?? 2 };
}

/** Returns the heartbeat state of a monitor that is created or enabled at `at`. */
export function startHeartbeat(rhythm: Rhythm, at: Date): Heartbeat {
  return { ...rhythm, missAt: deadline(rhythm, at), jobStartedAt: undefined, lastError: '' };
}

/**
 * Returns the time of the next decision if no ping arrives before it: the deadline for the next ping, or the end of a
 * confirmation window. This is always later than the last decision, because an earlier one would have no effect and
 * would remain due: a shorter window, for example, may have ended before the last ping.
 */
export function dueAt({ heartbeat: { missAt }, evaluatorState, confirmation }: HeartbeatState): Date {
  const confirmAt = evaluatorState && confirmationEnd(evaluatorState, confirmation);
  const at = confirmAt && confirmAt < missAt ? confirmAt : missAt;
  const lastAt = evaluatorState?.lastRoundAt;
  return lastAt && at <= lastAt ? later(lastAt, 1) : at;
}

/** Applies a signal that arrived at `now`. Signals count in the order of arrival, even if the clock goes back. */
export function applySignal(before: HeartbeatState, signal: HeartbeatSignal, now: Date): Step {
  const { heartbeat, evaluatorState, confirmation } = before;
  if (signal === 'start') return { heartbeat: { ...heartbeat, jobStartedAt: now }, evaluatorState, confirmation };
  const at =
    evaluatorState?.lastRoundAt && evaluatorState.lastRoundAt >= now ? later(evaluatorState.lastRoundAt, 1) : now;
  const phases = heartbeat.jobStartedAt && { total: Math.max(0, at.getTime() - heartbeat.jobStartedAt.getTime()) };
  const rested = { ...heartbeat, jobStartedAt: undefined };
  return signal === 'ping'
    ? decide(before, { ...rested, missAt: deadline(heartbeat, at), lastError: '' }, 'pass', at, phases)
    : decide(before, { ...rested, missAt: nextMiss(heartbeat, at), lastError: REPORTED }, 'fail', at, phases);
}

/**
 * Applies the decision that was due at dueAt(). A missed ping counts as a failure; at the end of a confirmation window,
 * the new state is confirmed. If the decision is dropped (see GRACE_MS), the next ping gets a new deadline. A failure
 * that was recorded before is kept, and its confirmation window starts again.
 */
export function applyDeadline(before: HeartbeatState, now: Date): Step {
  const { heartbeat, evaluatorState, confirmation } = before;
  const at = dueAt(before);
  const isMiss = at >= heartbeat.missAt;
  const isFailing = evaluatorState?.streak?.verdict === 'fail';
  if (now.getTime() - at.getTime() > GRACE_MS && (isFailing || now >= heartbeat.missAt)) {
    return {
      heartbeat: { ...heartbeat, missAt: deadline(heartbeat, now) },
      evaluatorState: evaluatorState && {
        ...evaluatorState,
        streak: isFailing ? { verdict: 'fail', since: now, rounds: 1 } : undefined,
      },
      confirmation,
    };
  }
  if (isMiss) {
    const span = spellDuration(heartbeat.expectedSeconds * heartbeat.misses * 1000);
    const error =
      heartbeat.lastError || `no ping for ${span}, expected every ${spellDuration(heartbeat.expectedSeconds * 1000)}`;
    return decide(before, { ...heartbeat, missAt: nextMiss(heartbeat, at), lastError: error }, 'timeout', at);
  }
  // This is the end of a confirmation window. No ping arrived or was missed, so the history gets no entry.
  const { beat: _, ...step } = decide(before, heartbeat, isFailing ? 'fail' : 'pass', at);
  return step;
}

function decide(
  before: HeartbeatState,
  heartbeat: Heartbeat,
  outcome: CheckOutcome,
  at: Date,
  phases: Phases = {},
): Step {
  const { confirmation } = before;
  const verdict = outcome === 'pass' ? 'pass' : 'fail';
  const { evaluatorState, changed } = evaluate(
    before.evaluatorState ?? initialEvaluatorState(at),
    { at, verdict },
    { ...confirmation, maxCreditMs: deadline(heartbeat, at).getTime() - at.getTime() + GRACE_MS },
  );
  const beat = { at, outcome, error: heartbeat.lastError, phases };
  const change = changed && { evaluatorState, ...explain(evaluatorState, heartbeat, at) };
  return { heartbeat, evaluatorState, confirmation, beat, ...(change && { change }) };
}

/**
 * Returns the texts that explain a state change, such as "failing for 1 min: no ping for 20 s, expected every 10 s".
 */
function explain(
  { state, streak }: EvaluatorState,
  { lastError }: Heartbeat,
  at: Date,
): Omit<Change, 'evaluatorState'> {
  const lasted = streak ? at.getTime() - streak.since.getTime() : 0;
  if (state === 'down') {
    const window = lasted === 0 ? '' : `failing for ${spellDuration(lasted)}: `;
    return { error: lastError, explanation: `${window}${lastError}` };
  }
  return { error: '', explanation: lasted === 0 ? 'a ping came' : `no ping was missed for ${spellDuration(lasted)}` };
}

function confirmationEnd({ state, streak }: EvaluatorState, { down, up }: Confirmation): Date | undefined {
  if (streak?.verdict === 'fail' && state !== 'down') return later(streak.since, down * 60_000);
  if (streak?.verdict === 'pass' && state === 'down') return later(streak.since, up * 60_000);
  return undefined;
}

function deadline({ expectedSeconds, misses }: Rhythm, at: Date): Date {
  return later(at, expectedSeconds * misses * 1000);
}

/**
 * Returns the deadline for the next ping of a failing monitor. The deadline is one interval after `at`, so that each
 * interval without a ping counts as a failure.
 */
function nextMiss({ expectedSeconds }: Rhythm, at: Date): Date {
  return later(at, expectedSeconds * 1000);
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
