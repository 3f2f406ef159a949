import type { SealedColumn } from '@tocsin/service';
import { recipientContext } from './app/mail-recipients.ts';
import { subscriberContext, subscriptionContext, vaultContext } from './app/ports.ts';
import { LINK_KEY_CONTEXT } from './app/signed-links.ts';

/** Database columns whose values this service seals with the vault. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'channel', column: 'sealed_config', keys: ['id'], context: vaultContext },
  { table: 'subscription', column: 'sealed_secret', keys: ['id'], context: subscriptionContext },
  { table: 'subscription', column: 'previous_sealed_secret', keys: ['id'], context: subscriptionContext },
  { table: 'mail_recipient', column: 'sealed_address', keys: ['organization_id', 'mark'], context: recipientContext },
  { table: 'subscriber', column: 'sealed_address', keys: ['id'], context: subscriberContext },
  { table: 'link_key', column: 'sealed_key', keys: ['only_one'], context: () => LINK_KEY_CONTEXT },
];
