/** Checks a dependency of the service. A check that throws or does not return in time has failed. */
export type ReadinessCheck = () => Promise<void>;

/** Readiness of the service: its checks, and whether it is starting, running or stopping. */
export class Readiness {
  readonly #checks = new Map<string, ReadinessCheck>();
  #phase: 'starting' | 'running' | 'stopping' = 'starting';

  add(name: string, check: ReadinessCheck): void {
    this.#checks.set(name, check);
  }

  started(): void {
    if (this.#phase === 'starting') this.#phase = 'running';
  }

  stopping(): void {
    this.#phase = 'stopping';
  }

  /** Whether the service is running. Does not depend on the checks. */
  get isServing(): boolean {
    return this.#phase === 'running';
  }

  /** Runs all checks, each for at most two seconds. Returns for each check `ok` or the reason why it failed. */
  async report(): Promise<{ ready: boolean; phase: string; checks: Record<string, string> }> {
    const entries = await Promise.all(
      [...this.#checks].map(async ([name, check]) => [name, await outcome(check)] as const),
    );
    const ready = this.#phase === 'running' && entries.every(([, result]) => result === 'ok');
    return { ready, phase: this.#phase, checks: Object.fromEntries(entries) };
  }
}

async function outcome(check: ReadinessCheck): Promise<string> {
  const timeout = AbortSignal.timeout(2_000);
  const late = new Promise<string>((resolve) => {
    timeout.addEventListener('abort', () => resolve('no response within 2 s'), { once: true });
  });
  return Promise.race([
    late,
    check().then(
      () => 'ok',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    ),
  ]);
}
