import { backoff } from '@tocsin/runtime';
import type { ClaimedDelivery } from '../storage/claim-deliveries.ts';
import { claimDue } from './claim-due.ts';
import { deliver } from './deliver.ts';
import type { Deps } from './ports.ts';
import { createWakeup } from './wakeup.ts';

/** Attempts at once in one replica, and of these for one channel or subscription. */
const SLOTS = 32;
const SLOTS_PER_RECIPIENT = 8;
/** How long may lie what nobody was woken for: a retry whose replica died, a delivery whose wake was lost. */
const POLL_MS = 1_000;

export interface DeliveryWorkers extends AsyncDisposable {
  /** Something may be due. */
  wake(): void;
}

/** Delivers what is due, for as long as they live; disposing lets running attempts finish. */
export function startDeliveryWorkers(deps: Deps): DeliveryWorkers {
  const bell = createWakeup();
  const inHand = new Set<{ readonly recipientId: string; done: Promise<void> }>();
  let stopping = false;

  const running = (async () => {
    for (let failures = 0; !stopping; ) {
      try {
        await fillSlots();
        failures = 0;
        await bell.wait(POLL_MS);
      } catch (error) {
        failures += 1;
        deps.logger.warn({ err: error }, 'deliveries that are due can not be read now, trying again');
        await bell.wait(backoff(failures));
      }
    }
    await Promise.all([...inHand].map(({ done }) => done));
  })();

  async function fillSlots(): Promise<void> {
    const limit = SLOTS - inHand.size;
    if (limit === 0) return;
    const perRecipient = Map.groupBy(inHand, ({ recipientId }) => recipientId);
    const busyRecipients = [...perRecipient].filter(([, held]) => held.length >= SLOTS_PER_RECIPIENT).map(([id]) => id);
    const claimed = await claimDue(deps, { limit, limitPerRecipient: SLOTS_PER_RECIPIENT, busyRecipients });
    for (const delivery of claimed) {
      const entry = { recipientId: delivery.to.id, done: Promise.resolve() };
      inHand.add(entry);
      entry.done = work(delivery).finally(() => {
        inHand.delete(entry);
        // A slot is free, and what waited behind this one may be due.
        bell.ring();
      });
    }
  }

  async function work(delivery: ClaimedDelivery): Promise<void> {
    try {
      const retryAt = await deliver(deps, delivery);
      // Precise where the attempt was made; if this replica dies, another one finds it by polling.
      if (retryAt) setTimeout(bell.ring, Math.max(1, retryAt.getTime() - deps.now().getTime())).unref();
    } catch (error) {
      deps.logger.error({ err: error, delivery_id: delivery.id }, 'an attempt was not recorded and will be repeated');
    }
  }

  return {
    wake: bell.ring,
    async [Symbol.asyncDispose]() {
      stopping = true;
      bell.ring();
      await running;
    },
  };
}
