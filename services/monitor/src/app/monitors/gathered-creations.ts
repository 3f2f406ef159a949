import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from '@tocsin/errors';
import { executeOnce } from '@tocsin/outbox';
import { isValidateOnly } from '@tocsin/runtime';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import type { Deps } from '../ports.ts';
import { type Creator, createDrafts, type Draft, draftOf, type NewMonitor } from './create-monitor.ts';
import { getMonitor } from './get-monitor.ts';

/** Maximum number of monitors that are created together, and maximum sum of the lengths of their configs. */
const MAX_TOGETHER = { monitors: 100, configLength: 1024 ** 2 };

/**
 * Time after which a group no longer delays the next one, in milliseconds. A group may wait, for example, for a replica
 * of the notifier that does not respond.
 */
const SLOW_MS = 500;

/** A monitor that waits to be created. */
interface Waiting {
  readonly draft: Draft;
  /** Id that is the same for each repeat of the request; undefined if it can't be repeated safely. */
  readonly idempotencyId: string | undefined;
  readonly created: PromiseWithResolvers<MonitorView>;
  /** Calls a function in the asynchronous context of the request, which contains its trace. */
  readonly inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/** Monitors of an organization that wait to be created together. */
interface Line {
  readonly organizationId: string;
  readonly limit: number;
  readonly waiting: Waiting[];
}

/**
 * Creates the monitors of concurrent requests of an organization together, in one transaction, which costs a fraction
 * of a transaction for each. While no request of an organization runs, the next one starts at once. Those that arrive
 * while it runs share the next transaction. If that fails, each monitor is created alone, so that no request fails
 * because of another one.
 */
export class GatheredCreations {
  readonly #deps: Deps;
  /** Lines with a running group, by organization, limit and need for the notifier. */
  readonly #lines = new Map<string, Line>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Creates the monitor of a request: see createDrafts(). A repeat returns the monitor as it is now.
   * @throws ServiceError `invalid`; `conflict` for a repeat after the monitor was deleted.
   */
  create(creator: Creator, input: NewMonitor): Promise<MonitorView> {
    return executeOnce(
      this.#deps,
      creator,
      () => this.#create(creator, input),
      ([id = '']) => getMonitor(this.#deps, creator.organizationId, id),
    );
  }

  #create({ organizationId, idempotencyId, limit }: Creator, input: NewMonitor): Promise<MonitorView> {
    const draft = draftOf(input);
    const created = Promise.withResolvers<MonitorView>();
    const one = { draft, idempotencyId, created, inContext: AsyncLocalStorage.snapshot() };
    const isCertainToFail = draft.errors.hasAny || isValidateOnly();
    if (isCertainToFail) void this.#createGroup({ organizationId, limit }, [one]);
    else this.#add(organizationId, limit, one);
    return created.promise;
  }

  #add(organizationId: string, limit: number, one: Waiting): void {
    // A monitor without channels can be created while the notifier is down.
    const needsNotifier = one.draft.channelIds?.length !== 0;
    const key = `${organizationId} ${limit} ${needsNotifier}`;
    const running = this.#lines.get(key);
    if (running) {
      running.waiting.push(one);
      return;
    }
    const line = { organizationId, limit, waiting: [one] };
    this.#lines.set(key, line);
    this.#startNext(key, line);
  }

  #startNext(key: string, line: Line): void {
    const group = takeGroup(line.waiting);
    const [first] = group;
    if (!first) {
      this.#lines.delete(key);
      return;
    }
    let hasContinued = false;
    const next = () => {
      if (hasContinued) return;
      hasContinued = true;
      clearTimeout(slow);
      this.#startNext(key, line);
    };
    const slow = setTimeout(next, SLOW_MS);
    void first.inContext(() => this.#createGroup(line, group)).then(next);
  }

  /** Creates the monitors of a group, together or each alone. Never throws. */
  async #createGroup(line: Pick<Line, 'organizationId' | 'limit'>, group: readonly Waiting[]): Promise<void> {
    if (group.length === 0) return;
    const { organizationId, limit } = line;
    const drafts = group.map(({ draft }) => draft);
    const requestsOf = (ids: readonly string[]) =>
      group.map(({ idempotencyId }, index) => ({ idempotencyId, resourceIds: ids.slice(index, index + 1) }));
    let isUnchanged = true;
    const onCommit = () => {
      isUnchanged = false;
    };
    try {
      const views = await createDrafts(this.#deps, organizationId, { drafts, limit, requestsOf, onCommit });
      for (const [index, view] of views.entries()) group[index]?.created.resolve(view);
    } catch (error) {
      if (group.length === 1 || !isUnchanged || isUnavailable(error)) {
        for (const { created } of group) created.reject(error);
        return;
      }
      // Errors in a request are complete now. The other requests are tried again, and alone if none has errors.
      const valid = group.filter((one) => !rejectInvalid(one));
      if (valid.length < group.length) await this.#createGroup(line, valid);
      else for (const one of group) await one.inContext(() => this.#createGroup(line, [one]));
    }
  }
}

/** Removes the first monitors from a list, and returns them: at least one, and at most what MAX_TOGETHER allows. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  let length = 0;
  const end = waiting.findIndex(({ draft }, index) => {
    length += draft.settings.configJson.length;
    return index > 0 && (length > MAX_TOGETHER.configLength || index >= MAX_TOGETHER.monitors);
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

/** Rejects a request if it has errors, and returns whether it has any. */
function rejectInvalid({ draft, created }: Waiting): boolean {
  try {
    draft.errors.throwIfAny();
    return false;
  } catch (error) {
    created.reject(error);
    return true;
  }
}

/** Returns whether the creation of each monitor alone would fail in the same way, after the same wait. */
function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && (error.kind === 'unavailable' || error.kind === 'deadline');
}
