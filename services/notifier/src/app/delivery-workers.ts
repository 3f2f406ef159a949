import { backoff } from '@tocsin/runtime';
import { type LaneEntry, laneOf } from '../domain/delivery-shares.ts';
import type { ClaimedDelivery } from '../storage/claim-deliveries.ts';
import { claimDue } from './claim-due.ts';
import { deliver } from './deliver.ts';
import type { Deps } from './ports.ts';
import { createWakeup } from './wakeup.ts';

/** How late a delivery may be noticed without a wakeup: a retry whose replica died, a lost notification. */
const POLL_MS = 1_000;

export interface DeliveryWorkers extends AsyncDisposable {
  /** Something may be due. */
  wake(): void;
}

/** Starts delivering; disposing lets running attempts finish. */
export function startDeliveryWorkers(deps: Deps): DeliveryWorkers {
  const wakeup = createWakeup();
  const running = new Set<LaneEntry & { done: Promise<void> }>();
  let stopping = false;

  const ended = (async () => {
    for (let failures = 0; !stopping; ) {
      try {
        await fillSlots();
        failures = 0;
        await wakeup.wait(POLL_MS);
      } catch (error) {
        failures += 1;
        deps.logger.warn({ err: error }, 'deliveries that are due can not be read now, trying again');
        await wakeup.wait(backoff(failures));
      }
    }
    await Promise.all([...running].map(({ done }) => done));
  })();

  async function fillSlots(): Promise<void> {
    for (const delivery of await claimDue(deps, [...running])) {
      const { organizationId, to } = delivery;
      const entry = { organizationId, recipientId: to.id, lane: laneOf(delivery), done: Promise.resolve() };
      running.add(entry);
      entry.done = work(delivery).finally(() => {
        running.delete(entry);
        // A slot is free, and what waited behind this one may be due.
        wakeup.ring();
      });
    }
  }

  async function work(delivery: ClaimedDelivery): Promise<void> {
    try {
      const retryAt = await deliver(deps, delivery);
      // Precise where the attempt was made; if this replica dies, another one finds it by polling.
      if (retryAt) setTimeout(wakeup.ring, Math.max(1, retryAt.getTime() - deps.now().getTime())).unref();
    } catch (error) {
      deps.logger.error({ err: error, delivery_id: delivery.id }, 'an attempt was not recorded and will be repeated');
    }
  }

  return {
    wake: wakeup.ring,
    async [Symbol.asyncDispose]() {
      stopping = true;
      wakeup.ring();
      await ended;
    },
  };
}
