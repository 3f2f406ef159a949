import type { ServiceImpl } from '@connectrpc/connect';
import { invalid } from '@tocsin/errors';
import type { AccountMailService } from '@tocsin/proto/notifier/v1/account_mail';
import type { Deps } from '../app/ports.ts';
import { sendAccountMail } from '../app/send-account-mail.ts';

export function accountMailRpc(deps: Deps): ServiceImpl<typeof AccountMailService> {
  return {
    async sendAccountMail({ to, content }) {
      switch (content.case) {
        case 'signIn':
          await sendAccountMail(deps, { to, kind: 'sign_in', url: content.value.url });
          return {};
        case 'invitation':
          await sendAccountMail(deps, { to, kind: 'invitation', ...content.value });
          return {};
        case 'credentialChange':
          await sendAccountMail(deps, { to, kind: 'credential_change', change: content.value.change });
          return {};
        case 'organizationNotice':
          await sendAccountMail(deps, { to, kind: 'organization_notice', ...content.value });
          return {};
        case 'emailConfirmation':
          await sendAccountMail(deps, { to, kind: 'email_confirmation', ...content.value });
          return {};
        case 'emailChanged':
          await sendAccountMail(deps, { to, kind: 'email_changed', ...content.value });
          return {};
        case undefined:
          throw invalid({ content: ['is required'] });
        default:
          return content satisfies never;
      }
    },
  };
}
