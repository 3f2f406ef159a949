import { setTimeout as delay } from 'node:timers/promises';
import { backoff, createWakeup } from '@tocsin/runtime';
import { type LaneEntry, laneOf } from '../domain/delivery-shares.ts';
import type { ClaimedDelivery } from '../storage/delivery-rows.ts';
import { recordSent, type SentDelivery } from '../storage/delivery-store.ts';
import { createBatch } from './batch.ts';
import { claimDue } from './claim-due.ts';
import { deliver } from './deliver.ts';
import type { Deps } from './ports.ts';

/** Maximum time, in milliseconds, between two claims without a wakeup. */
const IDLE_MS = 60_000;
/**
 * Minimum time between two calls of claimDue(). Meanwhile, more slots become free, and the next call can fill them all:
 * a call that fills many slots costs no more than a call that fills one.
 */
const CLAIM_EVERY_MS = 5;
/**
 * Maximum number of successful attempts that are recorded in one transaction, and maximum number of attempts that have
 * freed their slots before they are recorded. If successes can't be recorded, further ones keep their slots.
 */
const MAX_BATCH = 200;

export interface DeliveryWorkers extends AsyncDisposable {
  /** Wakes the workers because a delivery may be due. Without this call, a due delivery may wait for a minute. */
  wake(): void;
}

/** Starts to deliver. Disposing waits for running attempts. */
export function startDeliveryWorkers(deps: Deps): DeliveryWorkers {
  const wakeup = createWakeup();
  const running = new Set<LaneEntry>();
  /** Deliveries that are attempted, or whose outcomes are not recorded, by id. */
  const unrecorded = new Map<string, Promise<void>>();
  const successes = createBatch<SentDelivery>(
    (sent) => deps.database.transaction('every organization', (tx) => recordSent(tx, sent, deps.now())),
    MAX_BATCH,
  );
  const stopping = new AbortController();

  const ended = (async () => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const pause = delay(CLAIM_EVERY_MS, undefined, { ref: false });
        await fillSlots();
        failures = 0;
        await wakeup.wait(IDLE_MS);
        await pause;
      } catch (error) {
        failures += 1;
        deps.logger.warn({ err: error }, 'deliveries that are due can not be read now, trying again');
        await wakeup.wait(backoff(failures));
      }
    }
    await Promise.all(unrecorded.values());
  })();

  async function fillSlots(): Promise<void> {
    for (const delivery of await claimDue(deps, { running: [...running], unrecorded: [...unrecorded.keys()] })) {
      const { organizationId, to } = delivery;
      const entry = { organizationId, recipientId: to.id, lane: laneOf(delivery) };
      const freeSlot = () => {
        if (unrecorded.size - running.size >= MAX_BATCH) return;
        // Other deliveries may be waiting for this slot, or for the end of this delivery.
        if (running.delete(entry)) wakeup.ring();
      };
      running.add(entry);
      const done = work(delivery, freeSlot).finally(() => {
        unrecorded.delete(delivery.id);
        running.delete(entry);
        wakeup.ring();
      });
      unrecorded.set(delivery.id, done);
    }
  }

  async function work(delivery: ClaimedDelivery, freeSlot: () => void): Promise<void> {
    try {
      const retryAt = await deliver(deps, delivery, { successes, freeSlot, stopping: stopping.signal });
      // Wake this replica when the retry is due. If this replica dies, another one finds the retry by polling.
      if (retryAt) setTimeout(wakeup.ring, Math.max(1, retryAt.getTime() - deps.now().getTime())).unref();
    } catch (error) {
      deps.logger.error({ err: error, delivery_id: delivery.id }, 'an attempt was not recorded and will be repeated');
    }
  }

  return {
    wake: wakeup.ring,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      wakeup.ring();
      await ended;
    },
  };
}
