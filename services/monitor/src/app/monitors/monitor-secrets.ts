import type { Transaction } from '@tocsin/database';
import type { Vault } from '@tocsin/vault';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { Secrets } from '../../domain/monitors/secrets.ts';
import { deleteSecrets, findSealedSecrets, saveSealedSecrets } from '../../storage/monitors/secret-store.ts';

/**
 * Decrypts the sealed secrets of a monitor.
 * @throws VaultError, for example if the vault no longer has the key or the secrets belong to another monitor.
 */
export function openSecrets(vault: Vault, monitorId: string, sealed: string | undefined): Secrets {
  return new Map(sealed === undefined ? [] : JSON.parse(vault.open(sealed, monitorSecretsContext(monitorId))));
}

export async function findSecrets(vault: Vault, tx: Transaction, monitorId: string): Promise<Secrets> {
  return openSecrets(vault, monitorId, (await findSealedSecrets(tx, [monitorId])).get(monitorId));
}

/** Replaces all secrets of a monitor. */
export async function saveSecrets(vault: Vault, tx: Transaction, monitor: Monitor, secrets: Secrets): Promise<void> {
  if (secrets.size === 0) await deleteSecrets(tx, monitor.id);
  else
    await saveSealedSecrets(tx, monitor, vault.seal(JSON.stringify([...secrets]), monitorSecretsContext(monitor.id)));
}

export function monitorSecretsContext(monitorId: string): string {
  return `monitor/${monitorId}/secrets`;
}
