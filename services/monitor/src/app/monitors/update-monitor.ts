import type { Transaction } from '@tocsin/database';
import { FieldErrorCollector, notFound } from '@tocsin/errors';
import { checkChannelLinks, mergeChannelLinks } from '../../domain/monitors/channel-links.ts';
import { checkConfirmPair } from '../../domain/monitors/confirm-pairs.ts';
import { checkConfigSize } from '../../domain/monitors/limits.ts';
import type { Monitor, MonitorSettings } from '../../domain/monitors/monitor.ts';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { changeSecrets, haveSameSecrets, type SecretChanges } from '../../domain/monitors/secrets.ts';
import { validateMonitor } from '../../domain/monitors/validate-monitor.ts';
import { lockMonitor, saveMonitor } from '../../storage/monitors/monitor-store.ts';
import type { Deps } from '../ports.ts';
import { applySettings } from './apply-settings.ts';
import { findChannels, linkChannels } from './link-channels.ts';
import { findSecrets, saveSecrets } from './monitor-secrets.ts';
import { requireId } from './monitor-view.ts';

/** Settings to change; absent settings keep their value. */
export type MonitorChanges = Partial<Omit<MonitorSettings, 'secretNames'>> & { readonly secrets?: SecretChanges };

/**
 * Updates a monitor and schedules an immediate round with the new settings. A disabled monitor is not checked or
 * evaluated; when it is enabled again, it starts in state pending.
 * @throws ServiceError `not_found`, or `invalid`.
 */
export async function updateMonitor(
  deps: Deps,
  organizationId: string,
  id: string,
  { secrets, alertChannelLinks = [], ...changes }: MonitorChanges,
): Promise<MonitorView> {
  requireId(id);
  const errors = new FieldErrorCollector();
  checkChannelLinks(changes.alertChannelIds ?? [], alertChannelLinks, errors);
  const requested = changes.alertChannelIds ? [{ ids: changes.alertChannelIds, errors }] : [];
  const [channels] = await findChannels(deps, organizationId, requested);
  return deps.database.transaction({ organizationId }, async (tx) => {
    const before = await lockMonitor(tx, organizationId, id);
    if (!before) throw notFound('monitor');
    const { checkType } = before;
    if (changes.checkType && changes.checkType !== checkType) {
      errors.add('check_type', `can't be changed; this monitor is of type ${checkType}`);
    }
    checkConfirmPair(checkType, changes, errors);
    // The limits apply only to a changed config, because the stored config may have been saved before the limits were
    // introduced.
    if (changes.configJson !== undefined && changes.configJson !== before.configJson) {
      checkConfigSize(changes.configJson, errors);
    }
    const wanted = channels ? [{ channels, linked: before.alertChannelIds, errors }] : [];
    const [ids] = await linkChannels(tx, organizationId, wanted);
    const links = ids && {
      alertChannelIds: ids,
      alertChannelLinks: mergeChannelLinks(ids, before.alertChannelLinks, alertChannelLinks),
    };
    const now = deps.now();
    const settings = { ...before, ...changes, checkType, ...links, version: before.version + 1, updatedAt: now };
    const { monitor, secretsChanged } = await withSecrets(deps, tx, { before, settings, changes: secrets }, errors);
    await saveMonitor(tx, monitor);
    return applySettings(tx, before, monitor, now, { secretsChanged });
  });
}

/**
 * Validates the updated monitor, saves its secrets, and returns the monitor with the names of its secrets, and whether
 * a secret has changed.
 */
async function withSecrets(
  deps: Deps,
  tx: Transaction,
  { before, settings, changes }: { before: Monitor; settings: Monitor; changes: SecretChanges | undefined },
  errors: FieldErrorCollector,
): Promise<{ monitor: Monitor; secretsChanged: boolean }> {
  if (!changes) {
    validateMonitor(settings, errors, before);
    errors.throwIfAny();
    return { monitor: settings, secretsChanged: false };
  }
  const known = await findSecrets(deps.vault, tx, settings.id);
  const secrets = changeSecrets(settings.checkType, known, changes, errors);
  const monitor = { ...settings, secretNames: [...secrets.keys()].sort() };
  validateMonitor(monitor, errors, before);
  errors.throwIfAny();
  await saveSecrets(deps.vault, tx, monitor, secrets);
  return { monitor, secretsChanged: !haveSameSecrets(known, secrets) };
}
