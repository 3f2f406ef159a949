import { changesOfLastChecks, isOverdue, type LastChecks, type LastRounds, lastChecks } from '../domain/last-checks.ts';
import type { MonitorCondition } from '../domain/shown-status.ts';
import type { PageKey } from '../storage/structure-store.ts';
import type { Deps, Monitors } from './ports.ts';

/**
 * Minimum time in milliseconds between two requests for the last rounds of a page. It also applies after a failed
 * request.
 */
const REUSE_MS = 15_000;

/** Maximum number of pages whose last rounds are cached. */
const MAX_PAGES = 2_000;

interface Stored {
  /** Ids of the monitors in the order of the request, joined into one string. */
  readonly ids: string;
  readonly readAt: number;
  /** Last rounds by monitor id. The promise never rejects. */
  readonly rounds: Promise<LastRounds['rounds']>;
}

/**
 * Reads when a page's monitors were last checked, at most every 15 seconds per page. While the monitor service is
 * unreachable, returns the result of the last successful request.
 */
export class LastRoundsReader {
  readonly #monitors: Monitors;
  readonly #now: () => Date;
  /** Stored rounds by page id, in the order of the requests. */
  readonly #pages = new Map<string, Stored>();
  #unreachableSince: Date | undefined;

  constructor(monitors: Monitors, now: () => Date) {
    this.#monitors = monitors;
    this.#now = now;
  }

  /** Returns the last rounds of a page's monitors. Never rejects. */
  async read({ organizationId, pageId }: PageKey, monitorIds: readonly string[]): Promise<LastRounds> {
    if (monitorIds.length === 0) return { rounds: new Map(), unreachableSince: undefined };
    const now = this.#now().getTime();
    const ids = monitorIds.join(' ');
    const stored = this.#pages.get(pageId);
    // If the clock was set back, the stored rounds may be from a later time.
    const isCurrent = stored?.ids === ids && Math.abs(now - stored.readAt) < REUSE_MS;
    const rounds = isCurrent ? stored.rounds : this.#request(organizationId, monitorIds, stored);
    if (!isCurrent) this.#store(pageId, { ids, readAt: now, rounds });
    return { rounds: await rounds, unreachableSince: this.#unreachableSince };
  }

  async #request(
    organizationId: string,
    monitorIds: readonly string[],
    before: Stored | undefined,
  ): Promise<LastRounds['rounds']> {
    try {
      const rounds = await this.#monitors.lastRounds(organizationId, monitorIds);
      this.#unreachableSince = undefined;
      return rounds;
    } catch {
      this.#unreachableSince ??= this.#now();
      const known = (await before?.rounds) ?? new Map();
      return new Map([...known].filter(([id]) => monitorIds.includes(id)));
    }
  }

  #store(pageId: string, page: Stored): void {
    this.#pages.delete(pageId);
    this.#pages.set(pageId, page);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > MAX_PAGES && oldest !== undefined) this.#pages.delete(oldest);
  }
}

export interface CheckedMonitors {
  /** Condition of each linked monitor, by monitor id. */
  readonly monitors: ReadonlyMap<string, MonitorCondition>;
  readonly lastChecks: LastChecks;
  /** Times at which the fields above change without an event. */
  readonly changes: readonly Date[];
}

/** Determines which of a page's monitors are overdue, and what the page says about their last checks. */
export async function withLastChecks(
  { lastRounds, now }: Pick<Deps, 'lastRounds' | 'now'>,
  key: PageKey,
  conditions: ReadonlyMap<string, MonitorCondition>,
): Promise<CheckedMonitors> {
  const enabled = [...conditions].flatMap(([id, condition]) => (condition.enabled ? [id] : []));
  const known = await lastRounds.read(key, enabled.sort());
  const at = now();
  const checks = lastChecks(known, at);
  const isMissing = checks.kind === 'stopped' || checks.kind === 'unknown';
  return {
    monitors: new Map(
      [...conditions].map(([id, condition]) => [
        id,
        { ...condition, isOverdue: isOverdue(id, known, at, condition.freshUntil) },
      ]),
    ),
    lastChecks: checks,
    // If checks have stopped or their times are unknown, update the page soon, so that it shows when checks resume.
    changes: [...changesOfLastChecks(known), ...(isMissing ? [new Date(at.getTime() + REUSE_MS)] : [])],
  };
}
