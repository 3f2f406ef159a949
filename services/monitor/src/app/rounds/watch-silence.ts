import { look } from '../../domain/rounds/silence.ts';
import { lockForJudgement } from '../../storage/monitors/monitor-store.ts';
import { findLooksDue, findWatchedFrom, notePresence, saveLooks } from '../../storage/rounds/silence-store.ts';
import { findStandings, saveStandings } from '../../storage/rounds/standing-store.ts';
import { publishChanges } from '../monitors/publish-changes.ts';
import type { Deps } from '../ports.ts';

/** How many monitors are looked at in one transaction. */
const LOOK_LIMIT = 500;

/**
 * Finds the monitors that nothing was decided about for too long, at a moment up to which everything was heard and decided. To be called
 * all the time while rounds can be decided, and never else: when it was not called for a while, nobody was there, and that while is nobody's silence.
 */
export async function watchSilence(deps: Deps, now: Date): Promise<'again' | 'done'> {
  const { database } = deps;
  const { presences, due } = await database.transaction('every organization', async (tx) => {
    return { presences: await notePresence(tx, now), due: await findLooksDue(tx, now, LOOK_LIMIT) };
  });
  if (due.length === 0) return 'done';
  await database.transaction('every organization', async (tx) => {
    const monitors = await lockForJudgement(tx, due);
    const watchedFrom = await findWatchedFrom(tx, due, now);
    const standings = await findStandings(tx, due);
    const looks = monitors.flatMap(({ id, organizationId, intervalSeconds }) => {
      const from = watchedFrom.get(id);
      // Another replica or the owner may have come before us.
      if (!from) return [];
      const watched = { intervalSeconds, watchedFrom: from, standing: standings.get(id) };
      return [{ monitorId: id, organizationId, ...look(watched, presences, now) }];
    });
    await saveLooks(tx, looks);
    const fallen = looks.flatMap(({ monitorId, organizationId, change }) =>
      change ? [{ monitorId, organizationId, standing: change.standing, changes: [change] }] : [],
    );
    await saveStandings(tx, fallen);
    await publishChanges(tx, fallen, now);
  });
  return due.length === LOOK_LIMIT ? 'again' : 'done';
}
