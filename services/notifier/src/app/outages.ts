import { problemOfLine } from '@tocsin/text';
import type { Alert } from '../domain/alert.ts';
import { type Outage, type OutageSubject, spanOf } from '../domain/outage.ts';
import { findOutageAlerts, listNotifications } from '../storage/outage-reader.ts';
import { linkChanges } from './outage-links.ts';
import type { AcknowledgeOutcome, Deps } from './ports.ts';

/** Maximum length, in characters, of the name that a person may enter when acknowledging a disruption. */
export const MAX_NAME = 100;

const ANONYMOUS = 'Somebody with the link';

/**
 * Returns the content of the page that the link in an alert opens; undefined if the link is invalid or its alerts were
 * deleted. Omits the parts that come from services that do not respond in time.
 */
export async function getOutage(deps: Deps, token: string): Promise<Outage | undefined> {
  const found = await findOutage(deps, token);
  if (!found) return undefined;
  const { subject, alerts } = found;
  const [{ organizationId, monitor }] = alerts;
  const ids = alerts.map(({ id }) => id);
  const { kind, changes: named = [] } = alerts[0];
  const isOfOneMonitor = kind !== 'test' && kind !== 'monitors_changed';
  const disruption = subject.kind === 'disruption' ? deps.disruptions.find(organizationId, subject.id) : undefined;
  const lastRounds = async () => {
    const { until } = spanOf({ subject, alerts, disruption: await disruption });
    return deps.rounds.latest(organizationId, monitor.id, until);
  };
  const [notifications, rounds, statusPageUrl, changes] = await Promise.all([
    deps.database.transaction({ organizationId }, (tx) => listNotifications(tx, organizationId, ids)),
    isOfOneMonitor ? lastRounds() : [],
    isOfOneMonitor ? deps.statusPages.urlFor(organizationId, monitor.id) : undefined,
    linkChanges(deps.outageLinks, named),
  ]);
  return { subject, alerts, notifications, rounds, disruption: await disruption, statusPageUrl, changes };
}

/**
 * Acknowledges the disruption that a link refers to, under the entered name, which may be empty.
 * @throws ServiceError `unavailable` if the disruption service does not respond.
 */
export async function acknowledgeOutage(
  deps: Deps,
  { token, name }: { token: string; name: string },
): Promise<AcknowledgeOutcome> {
  const found = await findOutage(deps, token);
  if (found?.subject.kind !== 'disruption') return 'not_found';
  const isName = problemOfLine(name, MAX_NAME) === undefined;
  const by = isName ? `${name} (by the link)` : ANONYMOUS;
  return deps.disruptions.acknowledge(found.alerts[0].organizationId, { id: found.subject.id, by });
}

async function findOutage(
  { outageLinks, database }: Deps,
  token: string,
): Promise<{ subject: OutageSubject; alerts: readonly [Alert, ...Alert[]] } | undefined> {
  const subject = await outageLinks.subjectOf(token);
  if (!subject) return undefined;
  const [first, ...rest] = await database.transaction('every organization', (tx) => findOutageAlerts(tx, subject));
  return first && { subject, alerts: [first, ...rest] };
}
