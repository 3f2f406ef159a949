import { FairSlots, SlotsFullError } from '@tocsin/runtime';
import { networkOf } from '@tocsin/text';

/** Limits on concurrent hash computations. Each takes 19 MiB of memory and 50 ms of processor time. */
const SLOTS = { slots: 2, perTenant: 1, waitingPerTenant: 5, waiting: 50 };

/** Hashes passwords, a few at a time. */
export type PasswordChecks = FairSlots;

export function createPasswordChecks(): PasswordChecks {
  return new FairSlots(SLOTS);
}

/** Verifies or hashes a password when a slot is free. Returns undefined if too many requests wait. */
export async function hashInTurn<Result>(
  { passwordChecks }: { readonly passwordChecks: PasswordChecks },
  address: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await passwordChecks.run(networkOf(address), work);
  } catch (error) {
    if (error instanceof SlotsFullError) return undefined;
    throw error;
  }
}
