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
  readonly result: PromiseWithResolvers<SignalAnswer>;
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
      const { answers: responses } = await monitor.recordSignals({ signals }, { timeoutMs: TIMEOUT_MS });
      for (const [index, { result }] of batch.entries()) {
        const response = responses[index];
        if (response) result.resolve(response);
        else result.reject(new ServiceError('internal', 'the monitor service left a signal without a response'));
      }
    } catch (error) {
      for (const { result } of batch) result.reject(error);
    }
  }

  return {
    send(token, kind) {
      if (waiting.length >= MOST_WAITING) throw new ServiceError('unavailable', 'too many pings at once; try again');
      const result = Promise.withResolvers<SignalAnswer>();
      waiting.push({ token, kind, result });
      if (!isSending) void sendAll();
      return result.promise;
    },
  };
}
