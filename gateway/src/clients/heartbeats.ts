import { createHash } from 'node:crypto';
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
import { FairQueue } from '@tocsin/runtime';
import { LRUCache } from 'lru-cache';

/** Sends heartbeat signals to the monitor service. */
export interface Heartbeats {
  /**
   * Resolves when the signal is on disk.
   * @throws ServiceError `unavailable` if the signal may have been lost, or if too many signals wait.
   */
  send(token: string, kind: SignalKind): Promise<SignalAnswer>;
  /** Returns whether a monitor had this token at its last signal, if this was not too long ago to be remembered. */
  isKnown(token: string): boolean;
}

interface Waiting {
  readonly token: string;
  readonly kind: SignalKind;
  /** Id of the organization in whose turn the signal is sent, or `UNKNOWN`. */
  readonly turn: string;
  readonly result: PromiseWithResolvers<SignalAnswer>;
  /**
   * Deadline for sending the signal again while the monitor service does not respond or another transaction has locked
   * the monitor, on the clock of `performance.now()`. After the deadline, the signal is refused.
   */
  readonly giveUpAt: number;
  /** Whether the signal was sent before. */
  wasTried: boolean;
}

const MOST_PER_CALL = 500;
/**
 * Maximum number of signals that wait to be sent. An organization may have as many waiting signals as there are free
 * places. So it has at most half of the places while it is alone, which is a signal from each of its 10,000 monitors,
 * and less while other organizations have waiting signals. Some places always stay free for those that have none.
 * Further signals are refused with 503.
 */
const MOST_WAITING = 20_000;
/** Turn of signals whose organization is not known. */
const UNKNOWN = '';
/** Maximum number of tokens whose organizations are remembered. */
const MOST_KNOWN = 100_000;
/**
 * Maximum number of signals per token that wait for a response. The monitor service accepts the same number of signals
 * per token and minute.
 */
const MOST_PER_TOKEN = 6;
const TIMEOUT_MS = 5_000;
/** Milliseconds to wait before signals for locked monitors are sent again. */
const LOCKED_PAUSE_MS = 20;
/** Milliseconds to wait before signals are sent again after a failed call. */
const FAILED_PAUSE_MS = 250;
/**
 * Default of `giveUpMs`. Longer than a restart of the monitor service or a failover of its database, so that a job that
 * does not repeat its ping misses none, and shorter than the time that a stopped gateway gives to running requests.
 */
const GIVE_UP_MS = 15_000;

/**
 * Sends signals to the monitor service, with one call at a time. While no call runs, a signal is sent at once. The
 * signals that arrive during a call are sent together in the next call and recorded with one commit. The monitor
 * service does not record a signal while another transaction has locked the monitor. Such signals are sent again in
 * order, after the signals for other monitors. Signals are also sent again for `giveUpMs` while the monitor service
 * does not respond; a signal that it has recorded may then be recorded twice. If six signals for a token are waiting,
 * the next signal for it is refused without a call, because the monitor service would refuse it anyway.
 *
 * Each call takes signals from the organizations in turn, so that the signals from an organization with thousands of
 * monitors do not delay those from others. A token does not name its organization, but the response to its signal does.
 * It is remembered for the following signals. The first signals with a token since the start of this process, and those
 * with tokens that no monitor has, share one turn. While a token has a waiting signal, its signals keep their turn, so
 * that they stay in order.
 */
export function gatherHeartbeats(monitor: Client<typeof HeartbeatService>, giveUpMs = GIVE_UP_MS): Heartbeats {
  const waiting = new FairQueue<Waiting>();
  /** Number of waiting signals that were not sent before. */
  let untried = 0;
  /** Number of signals that wait for a response, and their turn, by token. */
  const open = new Map<string, { count: number; readonly turn: string }>();
  // The keys are hashes, so that a memory dump does not show the tokens.
  const organizations = new LRUCache<string, string>({ max: MOST_KNOWN });
  let isSending = false;

  async function sendAll(): Promise<void> {
    isSending = true;
    while (waiting.size > 0) {
      const { again, hasFailed } = await sendBatch(takeBatch());
      const tokens = new Set(again.map(({ token }) => token));
      const behind = again.length === 0 ? [] : waiting.removeAll(({ token }) => tokens.has(token));
      for (const one of [...again, ...behind]) waiting.add(one.turn, one);
      if (hasFailed) await sleep(FAILED_PAUSE_MS);
      else if (again.length > 0 && untried === 0) await sleep(LOCKED_PAUSE_MS);
    }
    isSending = false;
  }

  function takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    while (batch.length < MOST_PER_CALL) {
      const next = waiting.take();
      if (!next) break;
      batch.push(next.item);
      if (!next.item.wasTried) untried -= 1;
    }
    return batch;
  }

  /** Sends a batch. Returns the signals that have to be sent again, and whether the call failed. */
  async function sendBatch(batch: readonly Waiting[]): Promise<{ again: Waiting[]; hasFailed: boolean }> {
    const again: Waiting[] = [];
    const repeat = (one: Waiting, refusal: unknown) => {
      if (performance.now() >= one.giveUpAt) return one.result.reject(refusal);
      one.wasTried = true;
      again.push(one);
    };
    try {
      const signals = batch.map(({ token, kind }) => ({ token, kind }));
      const { answers: responses } = await monitor.recordSignals({ signals }, { timeoutMs: TIMEOUT_MS });
      for (const [index, one] of batch.entries()) {
        const response = responses[index];
        if (response) remember(one.token, response);
        if (!response)
          one.result.reject(new ServiceError('internal', 'the monitor service did not respond to a signal'));
        else if (response.outcome !== SignalOutcome.LOCKED) one.result.resolve(response);
        else repeat(one, new ServiceError('unavailable', 'the monitor is being changed; try again'));
      }
      return { again, hasFailed: false };
    } catch (error) {
      for (const one of batch) {
        if (isTemporary(error)) repeat(one, error);
        else one.result.reject(error);
      }
      return { again, hasFailed: true };
    }
  }

  function remember(token: string, { outcome, organizationId }: SignalAnswer): void {
    if (outcome === SignalOutcome.NOT_FOUND) organizations.delete(keyOf(token));
    else organizations.set(keyOf(token), organizationId);
  }

  return {
    async send(token, kind) {
      const ofToken = open.get(token) ?? { count: 0, turn: organizations.get(keyOf(token)) ?? UNKNOWN };
      const { count, turn } = ofToken;
      if (count >= MOST_PER_TOKEN) return create(SignalAnswerSchema, { outcome: SignalOutcome.RATE_LIMITED });
      if (waiting.sizeOf(turn) >= MOST_WAITING - waiting.size) {
        throw new ServiceError('unavailable', 'too many pings at once; try again');
      }
      ofToken.count += 1;
      open.set(token, ofToken);
      const result = Promise.withResolvers<SignalAnswer>();
      waiting.add(turn, { token, kind, turn, result, giveUpAt: performance.now() + giveUpMs, wasTried: false });
      untried += 1;
      if (!isSending) void sendAll();
      try {
        return await result.promise;
      } finally {
        ofToken.count -= 1;
        if (ofToken.count === 0) open.delete(token);
      }
    },

    isKnown: (token) => organizations.has(keyOf(token)),
  };
}

function isTemporary(error: unknown): boolean {
  return error instanceof ServiceError && (error.kind === 'unavailable' || error.kind === 'deadline');
}

function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
