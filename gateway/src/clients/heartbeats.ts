import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import {
  type HeartbeatService,
  type SignalAnswer,
  SignalAnswerSchema,
  type SignalKind,
  SignalOutcome,
} from '@tocsin/proto/monitor/v1/heartbeat';

/** Sends heartbeat signals to the monitor service. */
export interface Heartbeats {
  /**
   * Resolves when the signal is on disk.
   * @throws ServiceError `unavailable` if the signal may have been lost.
   */
  send(token: string, kind: SignalKind): Promise<SignalAnswer>;
}

interface Waiting {
  readonly token: string;
  readonly kind: SignalKind;
  readonly result: PromiseWithResolvers<SignalAnswer>;
  /**
   * Deadline for sending the signal again while another transaction has locked the monitor, on the clock of
   * `performance.now()`. After the deadline, the signal is refused.
   */
  readonly giveUpAt: number;
  /** Whether the monitor was locked at the last attempt. */
  wasLocked: boolean;
}

const MOST_PER_CALL = 500;
/** Maximum number of signals that wait to be sent. Signals beyond this number are refused with 503. */
const MOST_WAITING = 20_000;
/**
 * Maximum number of signals per token that wait for a response. The monitor service accepts the same number of signals
 * per token and minute.
 */
const MOST_PER_TOKEN = 6;
const TIMEOUT_MS = 5_000;
/** Milliseconds to wait before signals for locked monitors are sent again. */
const LOCKED_PAUSE_MS = 20;

/**
 * Sends signals to the monitor service, with one call at a time. While no call runs, a signal is sent at once. The
 * signals that arrive during a call are sent together in the next call and recorded with one commit. The monitor
 * service does not record a signal while another transaction has locked the monitor. Such signals are sent again in
 * order, after the signals for other monitors. If six signals for a token are waiting, the next signal for it is
 * refused without a call, because the monitor service would refuse it anyway.
 */
export function gatherHeartbeats(monitor: Client<typeof HeartbeatService>): Heartbeats {
  let waiting: Waiting[] = [];
  /** Number of signals that wait for a response, by token. */
  const open = new Map<string, number>();
  let isSending = false;

  async function sendAll(): Promise<void> {
    isSending = true;
    while (waiting.length > 0) {
      const locked = await sendBatch(waiting.splice(0, MOST_PER_CALL));
      if (locked.length === 0) continue;
      const tokens = new Set(locked.map(({ token }) => token));
      const behind = waiting.filter(({ token }) => tokens.has(token));
      waiting = [...waiting.filter(({ token }) => !tokens.has(token)), ...locked, ...behind];
      if (waiting.every(({ wasLocked }) => wasLocked)) await sleep(LOCKED_PAUSE_MS);
    }
    isSending = false;
  }

  /** Sends a batch and returns the signals that have to be sent again. */
  async function sendBatch(batch: readonly Waiting[]): Promise<Waiting[]> {
    const again: Waiting[] = [];
    try {
      const signals = batch.map(({ token, kind }) => ({ token, kind }));
      const { answers: responses } = await monitor.recordSignals({ signals }, { timeoutMs: TIMEOUT_MS });
      for (const [index, one] of batch.entries()) {
        const response = responses[index];
        if (!response)
          one.result.reject(new ServiceError('internal', 'the monitor service did not respond to a signal'));
        else if (response.outcome !== SignalOutcome.LOCKED) one.result.resolve(response);
        else if (performance.now() < one.giveUpAt) {
          one.wasLocked = true;
          again.push(one);
        } else one.result.reject(new ServiceError('unavailable', 'the monitor is being changed; try again'));
      }
    } catch (error) {
      for (const { result } of batch) result.reject(error);
    }
    return again;
  }

  function close(token: string): void {
    const count = (open.get(token) ?? 0) - 1;
    if (count > 0) open.set(token, count);
    else open.delete(token);
  }

  return {
    async send(token, kind) {
      const count = open.get(token) ?? 0;
      if (count >= MOST_PER_TOKEN) return create(SignalAnswerSchema, { outcome: SignalOutcome.RATE_LIMITED });
      if (waiting.length >= MOST_WAITING) throw new ServiceError('unavailable', 'too many pings at once; try again');
      open.set(token, count + 1);
      const result = Promise.withResolvers<SignalAnswer>();
      waiting.push({ token, kind, result, giveUpAt: performance.now() + TIMEOUT_MS, wasLocked: false });
      if (!isSending) void sendAll();
      try {
        return await result.promise;
      } finally {
        close(token);
      }
    },
  };
}
