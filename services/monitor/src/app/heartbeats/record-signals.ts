import type { HeartbeatSignal, MonitorState } from '@tocsin/enums';
import { applySignal } from '../../domain/heartbeats/heartbeat.ts';
import { countPing } from '../../domain/heartbeats/ping-window.ts';
import { lockHeartbeats, readTokens } from '../../storage/heartbeats/heartbeat-store.ts';
import type { Deps } from '../ports.ts';
import { beginHeartbeatChanges, type HeartbeatChanges, saveHeartbeatChanges, withStep } from './heartbeat-changes.ts';
import { hashToken } from './heartbeat-token.ts';

/** A signal from a job, with the token of its monitor. */
export interface TokenSignal {
  readonly token: string;
  readonly signal: HeartbeatSignal;
}

export type SignalResponse =
  /** The signal was applied; `state` is the state of the monitor after the signal. */
  | { readonly kind: 'recorded'; readonly state: MonitorState }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'rate_limited' }
  /** The signal was not applied because its monitor is locked; the caller should send it again. */
  | { readonly kind: 'locked' };

/** Response to a signal, and the organization whose monitor has the token; undefined if no monitor has it. */
export interface AnsweredSignal {
  readonly response: SignalResponse;
  readonly organizationId: string | undefined;
}

/**
 * Applies signals in the order of arrival, in one transaction, and returns their outcomes in the same order. Tokens
 * over their rate limit are rejected before any row is locked. Does not wait for locked monitors but skips them, so
 * that a change to one monitor does not delay pings for the others. Signals of a disabled monitor have no effect.
 */
export async function recordSignals(deps: Deps, signals: readonly TokenSignal[]): Promise<AnsweredSignal[]> {
  const hashed = signals.map(({ token, signal }) => ({ hash: hashToken(token), signal }));
  return deps.database.transaction('every organization', async (tx) => {
    const tokens = await readTokens(tx, [...new Set(hashed.map(({ hash }) => hash))]);
    const open = [...tokens].filter(([, { window }]) => countPing(window, deps.now()).allowed).map(([hash]) => hash);
    const found = await beginHeartbeatChanges(
      tx,
      await lockHeartbeats(tx, 'heartbeat_token_hash', open, { skipLocked: true }),
    );
    // Read the clock after the monitors are locked. If it were read earlier, another transaction could apply a signal
    // with a later time before the lock.
    const now = deps.now();
    const byHash = new Map(found.map((changes) => [changes.found.tokenHash, changes]));
    const answered: AnsweredSignal[] = [];
    for (const { hash, signal } of hashed) {
      const isRefused = tokens.has(hash) && !open.includes(hash);
      const isLocked = tokens.has(hash) && !byHash.has(hash);
      const { response, beats } = isRefused ? RATE_LIMITED : isLocked ? LOCKED : applyTo(byHash.get(hash), signal, now);
      if (beats) byHash.set(hash, beats);
      answered.push({ response, organizationId: tokens.get(hash)?.organizationId });
    }
    const touched = [...byHash.values()].filter(({ window, found }) => window !== found.window);
    await saveHeartbeatChanges(tx, touched, now);
    return answered;
  });
}

interface Outcome {
  readonly response: SignalResponse;
  readonly beats?: HeartbeatChanges;
}

const RATE_LIMITED: Outcome = { response: { kind: 'rate_limited' } };
const LOCKED: Outcome = { response: { kind: 'locked' } };

function applyTo(before: HeartbeatChanges | undefined, signal: HeartbeatSignal, now: Date): Outcome {
  if (!before) return { response: { kind: 'not_found' } };
  const { window, allowed } = countPing(before.window, now);
  if (!allowed) return RATE_LIMITED;
  const counted = { ...before, window };
  const beats = before.found.enabled ? withStep(counted, applySignal(before.now, signal, now)) : counted;
  return { response: { kind: 'recorded', state: beats.now.evaluatorState?.state ?? 'pending' }, beats };
}
