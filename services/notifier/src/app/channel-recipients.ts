import { LONG_STATEMENTS, type Transaction } from '@tocsin/database';
import type { Channel } from '../domain/channel.ts';
import { readConfig } from '../domain/channel-config.ts';
import { CONFIRMATION_MS, type MailRecipient } from '../domain/mail-recipient.ts';
import { readSealedConfig, readSealedConfigs } from '../storage/channel-store.ts';
import { cancelAsks, listLongPending, lockPending } from '../storage/mail-recipient-store.ts';
import { markOf } from './mail-recipients.ts';
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

/**
 * Asks the email recipients in a configuration to confirm their addresses. Call it before other rows are locked: a
 * confirmation also locks recipients before channels.
 * @throws ServiceError `invalid` if the organization then has too many recipients that have not confirmed.
 */
export async function askToConfirm(
  { kinds, mailRecipients }: Deps,
  tx: Transaction,
  { organizationId, type, configJson }: { organizationId: string; type: string; configJson: string },
): Promise<void> {
  const addresses = kinds.find((kind) => kind.type === type)?.recipients?.(readConfig(configJson) ?? {});
  if (addresses && addresses.length > 0) await mailRecipients.ask(tx, organizationId, addresses);
}

type UnusedDeps = Pick<Deps, 'database' | 'kinds' | 'vault' | 'now' | 'logger'>;

/**
 * Cancels the confirmation requests to those of the given recipients that no channel of the organization has any more,
 * and deletes them if their last link has expired. Returns the marks of the other recipients that have not confirmed.
 */
export async function dropUnused(
  { database, now, ...deps }: Omit<UnusedDeps, 'logger'>,
  organizationId: string,
  marks: readonly string[],
): Promise<ReadonlySet<string>> {
  return database.transaction({ organizationId }, async (tx) => {
    // Lock the recipients before the channels are read. A channel that is saved later waits and then saves its
    // recipients again.
    const pending = await lockPending(tx, organizationId, marks);
    const used = await findUsedMarks(deps, tx, organizationId);
    const unused = pending.filter((mark) => !used.has(mark));
    await cancelAsks(tx, organizationId, unused, new Date(now().getTime() - CONFIRMATION_MS));
    return new Set(pending.filter((mark) => used.has(mark)));
  });
}

/** Deletes the recipients that have not confirmed, whose last link has expired and that no channel has any more. */
export async function deleteUnusedRecipients(deps: UnusedDeps): Promise<'done'> {
  const { database, now, logger } = deps;
  const since = new Date(now().getTime() - CONFIRMATION_MS);
  const found = await database.transaction('every organization', (tx) => listLongPending(tx, since), LONG_STATEMENTS);
  for (const [organizationId, marks] of found) {
    await dropUnused(deps, organizationId, marks).catch((error) =>
      logger.error({ err: error, organization_id: organizationId }, 'unused mail recipients were not deleted'),
    );
  }
  return 'done';
}

/** Returns the marks of the addresses in all channels of an organization. */
async function findUsedMarks(
  { kinds, vault }: Pick<Deps, 'kinds' | 'vault'>,
  tx: Transaction,
  organizationId: string,
): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  for (const kind of kinds) {
    if (!kind.recipients) continue;
    for (const { id, sealedConfig } of await readSealedConfigs(tx, organizationId, kind.type)) {
      const addresses = kind.recipients(readConfig(vault.open(sealedConfig, vaultContext(id))) ?? {});
      for (const address of addresses) used.add(markOf(organizationId, address));
    }
  }
  return used;
}
