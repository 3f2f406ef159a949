import type { Transaction } from '@tocsin/database';
import { FieldErrorCollector, notFound } from '@tocsin/errors';
import { checkConfirmPair } from '../../domain/monitors/confirm-pairs.ts';
import { checkConfigSize } from '../../domain/monitors/limits.ts';
import type { Monitor, MonitorSettings } from '../../domain/monitors/monitor.ts';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { changeSecrets, type SecretChanges } from '../../domain/monitors/secrets.ts';
import { validateMonitor } from '../../domain/monitors/validate-monitor.ts';
import { lockMonitor, saveMonitor } from '../../storage/monitors/monitor-store.ts';
import type { Deps } from '../ports.ts';
import { applySettings } from './apply-settings.ts';
import { findChannels, linkChannels } from './link-channels.ts';
import { findSecrets, saveSecrets } from './monitor-secrets.ts';
import { requireId } from './monitor-view.ts';

/** Only what is there changes. */
export type MonitorChanges = Partial<Omit<MonitorSettings, 'secretNames'>> & { readonly secrets?: SecretChanges };

/**
 * Changes a monitor. Disabling freezes it: nothing is checked or decided until it is enabled, and then it starts again
 * at pending. What it checks now is checked at once.
 */
export async function updateMonitor(
  deps: Deps,
  organizationId: string,
  id: string,
  { secrets, ...changes }: MonitorChanges,
): Promise<MonitorView> {
  requireId(id);
  const errors = new FieldErrorCollector();
  const channels =
    changes.alertChannelIds && (await findChannels(deps, organizationId, changes.alertChannelIds, errors));
  return deps.database.transaction({ organizationId }, async (tx) => {
    const before = await lockMonitor(tx, organizationId, id);
    if (!before) throw notFound('monitor');
    const { checkType } = before;
    if (changes.checkType && changes.checkType !== checkType) {
      errors.add('check_type', `can't be changed; this monitor is of type ${checkType}`);
    }
    checkConfirmPair(checkType, changes, errors);
    // A config from before there were limits may stay until it is replaced.
    if (changes.configJson !== undefined && changes.configJson !== before.configJson) {
      checkConfigSize(changes.configJson, errors);
    }
    const links = channels && {
      alertChannelIds: await linkChannels(tx, organizationId, channels, before.alertChannelIds, errors),
    };
    const now = deps.now();
    const settings = { ...before, ...changes, checkType, ...links, version: before.version + 1, updatedAt: now };
    const monitor = await withSecrets(deps, tx, settings, secrets, errors);
    await saveMonitor(tx, monitor);
    return applySettings(tx, before, monitor, now);
  });
}

/** Returns the monitor as it will be, after everything about it was validated and its secrets are saved. */
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
  await saveSecrets(deps.vault, tx, monitor, secrets);
  return monitor;
}
