import type { Transaction } from '@tocsin/database';
import { FieldErrorCollector, notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { startStanding } from '../domain/evaluate.ts';
import type { Monitor, MonitorSettings } from '../domain/monitor.ts';
import type { MonitorView } from '../domain/monitor-view.ts';
import { changeSecrets, type SecretChanges } from '../domain/secrets.ts';
import { transitionTo } from '../domain/transition.ts';
import { validateMonitor } from '../domain/validate-monitor.ts';
import { monitorUpdated, stateChanged } from '../events/outgoing.ts';
import { forgetCertificates } from '../storage/certificate-store.ts';
import { lockMonitor, saveMonitor } from '../storage/monitor-store.ts';
import { dropOpenRounds } from '../storage/round-store.ts';
import { reschedule } from '../storage/schedule-store.ts';
import { saveStandings } from '../storage/standing-store.ts';
import { insertTransitions } from '../storage/transition-store.ts';
import { keepHeartbeat } from './keep-heartbeat.ts';
import { findSecrets, keepSecrets } from './keep-secrets.ts';
import { checkChannelIds } from './link-channels.ts';
import { requireId, viewOf } from './monitor-view.ts';
import type { Deps } from './ports.ts';

/** Only what is there changes. */
export type MonitorChanges = Partial<Omit<MonitorSettings, 'secretNames'>> & { readonly secrets?: SecretChanges };

/**
 * Changes a monitor. Disabling freezes it: nothing is checked or decided until it is enabled, and then it starts again at
 * pending. What it checks now is checked at once.
 */
export async function updateMonitor(
  deps: Deps,
  organizationId: string,
  id: string,
  { secrets, ...changes }: MonitorChanges,
): Promise<MonitorView> {
  requireId(id);
  const errors = new FieldErrorCollector();
  const links = changes.alertChannelIds && {
    alertChannelIds: await checkChannelIds(deps, organizationId, changes.alertChannelIds, errors),
  };
  return deps.database.transaction({ organizationId }, async (tx) => {
    const before = await lockMonitor(tx, organizationId, id);
    if (!before) throw notFound('monitor');
    const { checkType } = before;
    if (changes.checkType && changes.checkType !== checkType) {
      errors.add('check_type', `can't be changed; this monitor is of type ${checkType}`);
    }
    const now = deps.now();
    const settings = { ...before, ...changes, checkType, ...links, version: before.version + 1, updatedAt: now };
    const monitor = await withSecrets(deps, tx, settings, secrets, errors);
    await saveMonitor(tx, monitor);
    return followSettings(tx, before, monitor, now);
  });
}

/** The monitor as it will be, once everything about it was found right and its secrets are kept. */
async function withSecrets(
  deps: Deps,
  tx: Transaction,
  settings: Monitor,
  changes: SecretChanges | undefined,
  errors: FieldErrorCollector,
): Promise<Monitor> {
  if (!changes) {
    validateMonitor(settings, errors);
    errors.throwIfAny();
    return settings;
  }
  const before = await findSecrets(deps.vault, tx, settings.id);
  const secrets = changeSecrets(settings.checkType, before, changes, errors);
  const monitor = { ...settings, secretNames: [...secrets.keys()].sort() };
  validateMonitor(monitor, errors);
  errors.throwIfAny();
  await keepSecrets(deps.vault, tx, monitor, secrets);
  return monitor;
}

async function followSettings(tx: Transaction, before: Monitor, monitor: Monitor, now: Date): Promise<MonitorView> {
  let { standing } = await viewOf(tx, monitor);
  const events = [monitorUpdated(monitor, standing)];
  if (before.enabled && !monitor.enabled) await dropOpenRounds(tx, monitor.id);
  if (!before.enabled && monitor.enabled && standing) {
    standing = startStanding(now, standing);
    await saveStandings(tx, [{ monitorId: monitor.id, organizationId: monitor.organizationId, standing }]);
    const reasons = { error: '', explanation: 'the monitor was enabled again' };
    const { id: monitorId, organizationId } = monitor;
    events.push(stateChanged(monitor, standing, reasons));
    await insertTransitions(tx, [{ monitorId, organizationId, ...transitionTo(standing, reasons) }]);
  }
  if (before.configJson !== monitor.configJson) await forgetCertificates(tx, monitor.id);
  await keepHeartbeat(tx, monitor, standing, { wasEnabled: before.enabled, now });
  await reschedule(tx, monitor, now);
  await appendEvents(tx, events, now);
  return { monitor, standing };
}
