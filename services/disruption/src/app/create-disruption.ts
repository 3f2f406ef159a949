import { requireWithinLimit } from '@tocsin/database';
import { FieldErrorCollector } from '@tocsin/errors';
import { appendEvents, executeOnce, type Repeatable, recordRequests } from '@tocsin/outbox';
import { v7 } from 'uuid';
import type { Disruption } from '../domain/disruption.ts';
import { checkNew, type NewDisruption, openByPerson } from '../domain/new-disruption.ts';
import type { WantedPublication } from '../domain/publication.ts';
import { disruptionCreated } from '../events/outgoing.ts';
import { DISRUPTION_ROWS, insertDisruption } from '../storage/disruption-store.ts';
import { getDisruption } from './get-disruption.ts';
import type { Deps } from './ports.ts';
import { resolvePublication } from './resolve-publication.ts';

export interface DisruptionInput extends Repeatable {
  readonly organizationId: string;
  /** Email address of the person who opens the disruption. */
  readonly postedBy: string;
  readonly wanted: NewDisruption;
  readonly publication: WantedPublication;
  /** Whether to suppress notifications about the disruption. */
  readonly silent: boolean;
  /** Maximum number of disruptions that people may open in the organization. */
  readonly limit: number;
}

/**
 * Opens or records a disruption, or announces a maintenance. A repeat returns the disruption as it is now.
 * @throws ServiceError `invalid` with all invalid fields, or with the exceeded limit; `conflict` for a repeat after the
 * disruption was deleted.
 */
export function createDisruption(deps: Deps, input: DisruptionInput): Promise<Disruption> {
  const { organizationId } = input;
  return executeOnce(
    deps,
    input,
    () => insertNew(deps, input),
    ([id = '']) => getDisruption(deps, { organizationId, id }),
  );
}

async function insertNew(
  deps: Deps,
  { organizationId, idempotencyId, postedBy, wanted, publication: asked, silent, limit }: DisruptionInput,
): Promise<Disruption> {
  return deps.database.transaction({ organizationId }, async (tx) => {
    const now = deps.now();
    const problems = new FieldErrorCollector();
    checkNew(wanted, now, problems);
    const publication = await resolvePublication(deps, tx, organizationId, { wanted: asked, problems });
    problems.throwIfAny();

    const posting = { updateId: v7(), now, postedBy, silent };
    const disruption = openByPerson({ ...wanted, publication }, { id: v7(), organizationId, posting });
    recordRequests(tx, organizationId, [{ idempotencyId, resourceIds: [disruption.id] }], now);
    await insertDisruption(tx, disruption);
    await appendEvents(tx, [disruptionCreated(disruption, silent)], now);
    await requireWithinLimit(tx, organizationId, DISRUPTION_ROWS, limit);
    return disruption;
  });
}
