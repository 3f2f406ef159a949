import type { Transaction } from '@tocsin/database';
import { markHealthy } from '../domain/channel.ts';
import { readConfig } from '../domain/channel-config.ts';
import { lockChannelsOfType, saveChannel } from '../storage/channel-store.ts';
import { setRecipientStatus } from '../storage/mail-recipient-store.ts';
import { healChannel } from './heal-channel.ts';
import type { MailLinks } from './mail-links.ts';
import { markOf } from './mail-recipients.ts';
import { type Deps, vaultContext } from './ports.ts';

/** What a link in an email does. */
export interface MailQuestion {
  readonly kind: 'confirm' | 'unsubscribe' | 'expired';
  readonly organizationName: string | undefined;
}

type MailDeps = Deps & { readonly mailLinks: MailLinks };

/**
 * Returns the action of a link in an email without performing it; undefined if this installation did not create the
 * link.
 */
export async function readMailLink(deps: MailDeps, token: string): Promise<MailQuestion | undefined> {
  const link = await deps.mailLinks.read(token);
  if (!link) return undefined;
  const isExpired = link.expiresAt !== undefined && link.expiresAt <= deps.now();
  const organizationName = await deps.organizations.nameOf(link.organizationId);
  return { kind: isExpired ? 'expired' : link.kind, organizationName };
}

/**
 * Performs the action of a link in an email: confirms, unsubscribes, or subscribes again. The action may be repeated. A
 * confirmation makes broken channels of this recipient healthy.
 * Returns undefined if this installation did not create the link, or if the link has expired.
 */
export async function followMailLink(
  deps: MailDeps,
  { token, takeBack }: { token: string; takeBack: boolean },
): Promise<'confirmed' | 'unsubscribed' | undefined> {
  const { database, mailLinks, now } = deps;
  const link = await mailLinks.read(token);
  if (!link || (link.expiresAt !== undefined && link.expiresAt <= now())) return undefined;
  const { organizationId } = link;
  const status = link.kind === 'confirm' || takeBack ? 'confirmed' : 'unsubscribed';
  const exists = await database.transaction({ organizationId }, async (tx) => {
    const isKnown = await setRecipientStatus(tx, link, status);
    if (isKnown && status === 'confirmed') await healChannelsOf(deps, tx, link);
    return isKnown;
  });
  return exists ? status : undefined;
}

/**
 * Makes the email channels of a confirmed recipient healthy. This also applies to channels that are not broken, because
 * an attempt that began before the confirmation could still mark them as broken.
 */
async function healChannelsOf(
  deps: Deps,
  tx: Transaction,
  { organizationId, mark }: { organizationId: string; mark: string },
): Promise<void> {
  const { kinds, vault, now } = deps;
  for (const kind of kinds) {
    if (!kind.recipients) continue;
    for (const { channel, sealedConfig } of await lockChannelsOfType(tx, organizationId, kind.type)) {
      const addresses = kind.recipients(readConfig(vault.open(sealedConfig, vaultContext(channel.id))) ?? {});
      if (!addresses.some((address) => markOf(organizationId, address) === mark)) continue;
      const healthy = markHealthy(channel, now());
      if (channel.broken) await healChannel(deps, tx, { broken: channel, healthy, cause: 'confirmed' });
      else await saveChannel(tx, healthy);
    }
  }
}
