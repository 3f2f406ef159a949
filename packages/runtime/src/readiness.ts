/** A thing that must work for the service to do its part. Throws, or takes too long, when it does not. */
export type ReadinessCheck = () => Promise<void>;

/** What the service waits for, and whether it is still starting or already stopping. */
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

  /** Returns `ok` or the reason per check; all checks run, each for two seconds at most. */
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
