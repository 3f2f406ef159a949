import { FairSlots, SlotsFullError } from '@tocsin/runtime';
import { networkOf } from '@tocsin/text';

/** Limits of concurrent verifications. Each takes 19 MiB of memory and 50 ms of processor time. */
const SLOTS = { slots: 2, perTenant: 1, waitingPerTenant: 5, waiting: 50 };

/** Verifies passwords, a few at a time. */
export type PasswordChecks = FairSlots;

export function createPasswordChecks(): PasswordChecks {
  return new FairSlots(SLOTS);
}

/** Verifies a password when a slot is free. Returns undefined if too many requests wait. */
export async function verifyInTurn(
  { passwordChecks }: { readonly passwordChecks: PasswordChecks },
  address: string,
  verify: () => Promise<boolean>,
): Promise<boolean | undefined> {
  try {
    return await passwordChecks.run(networkOf(address), verify);
  } catch (error) {
    if (error instanceof SlotsFullError) return undefined;
    throw error;
  }
}
