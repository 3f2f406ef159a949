import type { Transport } from '@connectrpc/connect';
import { AccountMailService } from '@tocsin/proto/notifier/v1/account_mail';
import { createRpcClient } from '@tocsin/runtime';
import type { AccountMails } from '../app/ports.ts';

/** Returns a client that sends emails about accounts through the notifier. */
export function notifierMails(transport: Transport): AccountMails {
  const client = createRpcClient(AccountMailService, transport);
  return {
    async signIn(to, url) {
      await client.sendAccountMail({ to, content: { case: 'signIn', value: { url } } });
    },
    async invitation(to, invitation) {
      await client.sendAccountMail({ to, content: { case: 'invitation', value: invitation } });
    },
    async credentialChange(to, change) {
      await client.sendAccountMail({ to, content: { case: 'credentialChange', value: { change } } });
    },
    async organizationNotice(to, notice) {
      await client.sendAccountMail({ to, content: { case: 'organizationNotice', value: notice } });
    },
    async emailConfirmation(to, confirmation) {
      await client.sendAccountMail({ to, content: { case: 'emailConfirmation', value: confirmation } });
    },
    async emailChanged(to, changed) {
      await client.sendAccountMail({ to, content: { case: 'emailChanged', value: changed } });
    },
  };
}
