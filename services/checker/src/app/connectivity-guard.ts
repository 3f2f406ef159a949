import { needsConfirmation, notConnected } from '../domain/connectivity-guard.ts';
import type { ConnectivityGuard } from './ports.ts';

export interface ConnectivityGuardOptions {
  /** Whether anything of what the operator trusts to be there can be reached now. */
  readonly reachReferences: () => Promise<boolean>;
  /** Called when the connection is lost or back. */
  readonly onChange: (connected: boolean) => void;
  /** Waits until the next look at the references may begin. */
  readonly pause: () => Promise<void>;
}

const REMEMBERED = 200_000;

/**
 * A failure that is new here is believed only when the checker proves that its own connection works: what fails
 * everywhere at once is mostly the way there.
 */
export function createConnectivityGuard({
  reachReferences,
  onChange,
  pause,
}: ConnectivityGuardOptions): ConnectivityGuard['judge'] {
  const failing = new Set<string>();
  let connected = true;
  /** Without it there is no evidence: a closed network, for example, has no route to the references. */
  let everReached = false;
  let busy: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function look(): Promise<void> {
    const reached = await reachReferences();
    everReached ||= reached;
    const isConnected = reached || !everReached;
    if (isConnected !== connected) onChange(isConnected);
    connected = isConnected;
  }

  /** A look that begins after this call: an older one knows nothing of what has just failed. Many share one. */
  function probeAgain(): Promise<void> {
    next ??= (busy ?? Promise.resolve()).then(() => {
      next = undefined;
      const looked = look();
      busy = looked.then(pause).finally(() => {
        busy = undefined;
      });
      return looked;
    });
    return next;
  }

  void probeAgain();

  return async (monitorId, observation) => {
    if (!needsConfirmation(observation)) {
      failing.delete(monitorId);
      return observation;
    }
    if (connected && failing.has(monitorId)) return observation;
    const looked = probeAgain();
    if (everReached) await looked;
    if (!connected) return notConnected(observation);
    if (failing.size >= REMEMBERED) failing.clear();
    failing.add(monitorId);
    return observation;
  };
}
