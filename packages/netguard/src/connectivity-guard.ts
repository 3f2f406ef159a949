export interface ConnectivityGuardOptions {
  /** Returns whether any of the references (the hosts that are used to test the connection) can be reached now. */
  readonly reachReferences: () => Promise<boolean>;
  /** Called when the connection is lost, and when the connection is restored. */
  readonly onChange: (connected: boolean) => void;
  /** Waits until the next probe of the references may begin. */
  readonly pause: () => Promise<void>;
  /** Returns the current time in milliseconds; only differences matter. Tests replace it. */
  readonly now?: () => number;
}

/** Distinguishes failures of targets from failures of this installation's own connection. */
export interface ConnectivityGuard {
  /**
   * Called after a target failed without a response. Returns false if the installation itself has lost its connection.
   */
  confirmFailure(target: string): Promise<boolean>;
  /** Records that a target responded, so that its next failure starts a new probe of the references. */
  recordResponse(target: string): void;
}

const REMEMBERED = 200_000;

/**
 * For how many milliseconds a probe that reached a reference also confirms failures of targets that failed before. This
 * is the time between two probes.
 */
const FRESH_MS = 1_000;

/**
 * Returns a guard that probes the references after a failure, and confirms the failure if a reference can be reached. A
 * further failure of the same target is also confirmed by a probe that reached a reference less than FRESH_MS ago. If
 * all references fail too, the cause is probably the installation's own connection. Until a reference has been reached
 * for the first time, the guard confirms every failure. Concurrent failures share one probe.
 */
export function createConnectivityGuard({
  reachReferences,
  onChange,
  pause,
  now = () => performance.now(),
}: ConnectivityGuardOptions): ConnectivityGuard {
  const failing = new Set<string>();
  let connected = true;
  /**
   * Whether a reference was ever reached. Before that, failed probes prove nothing: a closed network, for example, has
   * no route to the references.
   */
  let everReached = false;
  /** Start of the last probe that reached a reference. */
  let reachedAt = Number.NEGATIVE_INFINITY;
  let busy: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function probe(): Promise<void> {
    const began = now();
    const reached = await reachReferences();
    everReached ||= reached;
    if (reached) reachedAt = began;
    const isConnected = reached || !everReached;
    if (isConnected !== connected) onChange(isConnected);
    connected = isConnected;
  }

  /**
   * Returns a probe that begins after this call, because an earlier probe proves nothing about a later failure.
   * Concurrent callers share one probe.
   */
  function probeAgain(): Promise<void> {
    next ??= (busy ?? Promise.resolve()).then(() => {
      next = undefined;
      const probed = probe();
      busy = probed.then(pause).finally(() => {
        busy = undefined;
      });
      return probed;
    });
    return next;
  }

  void probeAgain();

  return {
    async confirmFailure(target) {
      if (connected && failing.has(target) && (!everReached || now() - reachedAt < FRESH_MS)) return true;
      const probed = probeAgain();
      if (everReached) await probed;
      if (!connected) return false;
      if (failing.size >= REMEMBERED) failing.clear();
      failing.add(target);
      return true;
    },
    recordResponse: (target) => void failing.delete(target),
  };
}
