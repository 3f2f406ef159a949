import type { DisruptionType } from '@tocsin/enums';
import { FieldErrorCollector, notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { v7 } from 'uuid';
import { type Changes, changeDisruption, checkChanges } from '../domain/change-disruption.ts';
import { withCurrentComponents } from '../domain/current-components.ts';
import { type Disruption, isEnd, isOpen } from '../domain/disruption.ts';
import type { WantedPublication } from '../domain/publication.ts';
import { disruptionChanged } from '../events/outgoing.ts';
import { listEndedComponents, lockDisruption, saveDisruption } from '../storage/disruption-store.ts';
import { readCurrentNames } from './current-names.ts';
import type { Deps } from './ports.ts';
import { resolvePublication } from './resolve-publication.ts';

export interface DisruptionChange {
  readonly organizationId: string;
  readonly id: string;
  /** Mail address of the person who changes the disruption. */
  readonly postedBy: string;
  /** Requested changes. The type can't be changed, but a request may repeat the current one. */
  readonly changes: Omit<Changes, 'publication'> & { readonly type?: DisruptionType | undefined };
  readonly publication: WantedPublication;
  /** Whether to suppress notifications about the change. */
  readonly silent: boolean;
}

/**
 * Changes a disruption. Concurrent changes run one after the other.
 * @throws ServiceError `not_found`, `invalid` with all invalid fields, or `conflict` if an automatic disruption is
 * reopened while its monitor has another open one.
 */
export async function updateDisruption(
  deps: Deps,
  { organizationId, id, postedBy, changes, publication: asked, silent }: DisruptionChange,
): Promise<Disruption> {
  if (!isId(id)) throw notFound('disruption');
  return deps.database.transaction({ organizationId }, async (tx) => {
    const problems = new FieldErrorCollector();
    // Get the names of the components before the disruption is locked, so that no row is locked during the calls to
    // statuspage.
    const ended = await listEndedComponents(tx, organizationId, id);
    const reopens = changes.status !== undefined && !isEnd(changes.status);
    const kept = reopens ? [] : ended;
    const publication = await resolvePublication(deps, tx, organizationId, { wanted: asked, problems, kept });
    const current = reopens ? await readCurrentNames(deps, tx, organizationId, ended) : undefined;
    const before = await lockDisruption(tx, organizationId, id);
    if (!before) throw notFound('disruption');
    checkChanges(before, changes, problems);
    problems.throwIfAny();
    const posting = { updateId: v7(), now: deps.now(), postedBy, silent };
    // A disruption that has ended keeps its components as they were, until it is reopened.
    const base = current && !isOpen(before) ? withCurrentComponents(before, current, posting.now) : before;
    const after = changeDisruption(base, { ...changes, publication }, posting);
    if (after === before) return before;
    await saveDisruption(tx, after);
    await appendEvents(tx, [disruptionChanged(before, after, silent)], posting.now);
    return after;
  });
}
