import { isId } from '@tocsin/text';
import { VaultError } from '@tocsin/vault';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { Secrets } from '../../domain/monitors/secrets.ts';
import { findMonitorsOfAll } from '../../storage/monitors/monitor-store.ts';
import { findSealedSecrets } from '../../storage/monitors/secret-store.ts';
import type { Deps } from '../ports.ts';
import { openSecrets } from './monitor-secrets.ts';

/** A monitor with the secrets that its config refers to. */
export interface CheckConfig {
  readonly monitor: Monitor;
  readonly secrets: Secrets;
}

/**
 * Returns monitors of any organization, with the secrets that checkers need. A monitor whose secrets can't be opened is
 * left out, so that the other monitors are still checked.
 */
export async function getCheckConfigs(deps: Deps, ids: readonly string[]): Promise<CheckConfig[]> {
  const { monitors, sealed } = await deps.database.transaction('every organization', async (tx) => {
    const monitors = await findMonitorsOfAll(tx, ids.filter(isId));
    const secretive = monitors.filter(({ secretNames }) => secretNames.length > 0).map(({ id }) => id);
    const sealed = secretive.length > 0 ? await findSealedSecrets(tx, secretive) : new Map<string, string>();
    return { monitors, sealed };
  });
  return monitors.flatMap((monitor) => {
    try {
      return [{ monitor, secrets: openSecrets(deps.vault, monitor.id, sealed.get(monitor.id)) }];
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      deps.logger.error({ err: error, monitor_id: monitor.id }, 'secrets do not open, so the monitor is not checked');
      return [];
    }
  });
}
