import type { HeartbeatSignal, MonitorState } from '@tocsin/enums';
import { applySignal } from '../../domain/heartbeats/heartbeat.ts';
import { countPing } from '../../domain/heartbeats/ping-window.ts';
import { lockHeartbeats } from '../../storage/heartbeats/heartbeat-store.ts';
import type { Deps } from '../ports.ts';
import { beginHeartbeatChanges, type HeartbeatChanges, saveHeartbeatChanges, withStep } from './heartbeat-changes.ts';

/** What a job says, to the token of its monitor. */
export interface TokenSignal {
  readonly token: string;
  readonly signal: HeartbeatSignal;
}

export type SignalAnswer =
  /** It counts, and this is the confirmed state with it. */
  | { readonly kind: 'heard'; readonly state: MonitorState }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'rate_limited' };

/**
 * Counts signals in the order in which they come, all in one transaction, and answers them in that order. A disabled
 * monitor hears them and forgets them.
 */
export async function recordSignals(deps: Deps, signals: readonly TokenSignal[]): Promise<SignalAnswer[]> {
  return deps.database.transaction('every organization', async (tx) => {
    const tokens = [...new Set(signals.map(({ token }) => token))];
    const found = await beginHeartbeatChanges(tx, await lockHeartbeats(tx, 'heartbeat_token', tokens));
    // After the locks were had: whoever held them may have heard something later than what was now before.
    const now = deps.now();
    const byToken = new Map(found.map((beats) => [beats.found.token, beats]));
    const answers: SignalAnswer[] = [];
    for (const { token, signal } of signals) {
      const { answer, beats } = listen(byToken.get(token), signal, now);
      if (beats) byToken.set(token, beats);
      answers.push(answer);
    }
    const touched = [...byToken.values()].filter(({ window, found }) => window !== found.window);
    await saveHeartbeatChanges(tx, touched, now);
    return answers;
  });
}

function listen(
  before: HeartbeatChanges | undefined,
  signal: HeartbeatSignal,
  now: Date,
): { answer: SignalAnswer; beats?: HeartbeatChanges } {
  if (!before) return { answer: { kind: 'not_found' } };
  const { window, allowed } = countPing(before.window, now);
  if (!allowed) return { answer: { kind: 'rate_limited' } };
  const counted = { ...before, window };
  const beats = before.found.enabled ? withStep(counted, applySignal(before.now, signal, now)) : counted;
  return { answer: { kind: 'heard', state: beats.now.evaluatorState?.state ?? 'pending' }, beats };
}
