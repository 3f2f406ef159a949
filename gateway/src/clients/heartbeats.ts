import type { Client } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import type { HeartbeatService, SignalAnswer, SignalKind } from '@tocsin/proto/monitor/v1/heartbeat';

/** Where pings go. */
export interface Heartbeats {
  /**
   * Returns when the signal is on disk.
   * @throws ServiceError `unavailable` when it may have been lost.
   */
  send(token: string, kind: SignalKind): Promise<SignalAnswer>;
}

interface Waiting {
  readonly token: string;
  readonly kind: SignalKind;
  readonly answer: PromiseWithResolvers<SignalAnswer>;
}

const MOST_PER_CALL = 500;
/** Half a minute of backlog: further pings are refused with 503. */
const MOST_WAITING = 20_000;
const TIMEOUT_MS = 5_000;

/**
 * Sends signals to the monitor service, one call at a time: signals that arrive during a call go with the next one. So
 * the first does not wait, and many share one call and one commit.
 */
export function gatherHeartbeats(monitor: Client<typeof HeartbeatService>): Heartbeats {
  const waiting: Waiting[] = [];
  let isSending = false;

  async function sendAll(): Promise<void> {
    isSending = true;
    while (waiting.length > 0) await sendBatch(waiting.splice(0, MOST_PER_CALL));
    isSending = false;
  }

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const signals = batch.map(({ token, kind }) => ({ token, kind }));
      const { answers } = await monitor.recordSignals({ signals }, { timeoutMs: TIMEOUT_MS });
      for (const [index, { answer }] of batch.entries()) {
        const told = answers[index];
        if (told) answer.resolve(told);
        else answer.reject(new ServiceError('internal', 'the monitor service left a signal without a response'));
      }
    } catch (error) {
      for (const { answer } of batch) answer.reject(error);
    }
  }

  return {
    send(token, kind) {
      if (waiting.length >= MOST_WAITING) throw new ServiceError('unavailable', 'too many pings at once; try again');
      const answer = Promise.withResolvers<SignalAnswer>();
      waiting.push({ token, kind, answer });
      if (!isSending) void sendAll();
      return answer.promise;
    },
  };
}
