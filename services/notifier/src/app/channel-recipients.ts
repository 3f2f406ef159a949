import type { Channel } from '../domain/channel.ts';
import { readConfig } from '../domain/channel-config.ts';
import type { MailRecipient } from '../domain/mail-recipient.ts';
import { readSealedConfig } from '../storage/channel-store.ts';
import { type Deps, vaultContext } from './ports.ts';

/**
 * Returns the email recipients of a channel in the order of its configuration. The list is empty if channels of this
 * type send no email.
 */
export async function listRecipients(deps: Deps, channel: Channel): Promise<readonly MailRecipient[]> {
  const { kinds, database, vault, mailRecipients } = deps;
  const { id, organizationId } = channel;
  const kind = kinds.find(({ type }) => type === channel.type);
  if (!kind?.recipients) return [];
  const sealed = await database.transaction({ organizationId }, (tx) => readSealedConfig(tx, organizationId, id));
  const addresses = kind.recipients(readConfig(vault.open(sealed, vaultContext(id))) ?? {});
  return mailRecipients.list(organizationId, addresses);
}

/** Asks the email recipients in a configuration to confirm their addresses. */
export async function askToConfirm(
  { kinds, mailRecipients }: Deps,
  { organizationId, type, configJson }: { organizationId: string; type: string; configJson: string },
): Promise<void> {
  const addresses = kinds.find((kind) => kind.type === type)?.recipients?.(readConfig(configJson) ?? {});
  if (addresses && addresses.length > 0) await mailRecipients.ask(organizationId, addresses);
}
