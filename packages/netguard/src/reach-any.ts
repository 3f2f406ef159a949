import type { Netguard } from './netguard.ts';
import type { Reference } from './reference.ts';

const TIMEOUT_MS = 2_000;

/**
 * Returns whether a connection to at least one of the references can be opened, which shows that the network works.
 * Host names of references are resolved like host names of targets.
 */
export async function reachAny(guard: Netguard, references: readonly Reference[]): Promise<boolean> {
  try {
    await Promise.any(
      references.map(async ({ host, port }) => {
        const socket = await guard.connect({ host, port, timeoutMs: TIMEOUT_MS });
        socket.destroy();
      }),
    );
    return true;
  } catch {
    return false;
  }
}
