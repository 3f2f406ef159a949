import type { Email } from './email.ts';

const BLUE = '#2E90FA';

/** Content of an email about an account. */
export type AccountMail =
  | { readonly kind: 'sign_in'; readonly url: string }
  | {
      readonly kind: 'invitation';
      readonly url: string;
      readonly organizationName: string;
      readonly invitedBy: string;
    }
  | { readonly kind: 'credential_change'; readonly change: string }
  | {
      readonly kind: 'organization_notice';
      readonly organizationName: string;
      readonly notice: string;
      readonly url: string;
    }
  | { readonly kind: 'email_confirmation'; readonly url: string; readonly account: string }
  | { readonly kind: 'email_changed'; readonly undoUrl: string; readonly newAddress: string };

/** Returns an email about the recipient's account at the installation at `baseUrl`. */
export function accountEmail(mail: AccountMail, baseUrl: string): Email {
  const { host } = new URL(baseUrl);
  const common = { color: BLUE, details: [], footer: `Sent by Tocsin at ${host}.` };
  switch (mail.kind) {
    case 'sign_in':
      return {
        ...common,
        subject: `Sign in to Tocsin at ${host}`,
        headline: 'Sign in to Tocsin',
        paragraphs: [
          'This link signs you in. It works once, for 15 minutes.',
          'If you did not ask for it, ignore this email and do not share the link.',
        ],
        action: { label: 'Sign in', url: mail.url },
      };
    case 'invitation':
      return {
        ...common,
        subject: `Join ${mail.organizationName} on Tocsin`,
        headline: `Join ${mail.organizationName} on Tocsin`,
        paragraphs: [
          `${mail.invitedBy} invites you to monitor services and manage status pages of ${mail.organizationName}.`,
          'The link works for 7 days. If you do not expect this invitation, do nothing.',
        ],
        action: { label: 'Open the invitation', url: mail.url },
      };
    case 'credential_change':
      return {
        ...common,
        subject: `Your account at ${host} was changed`,
        headline: 'Your account was changed',
        paragraphs: [
          mail.change,
          'If this was not you, sign in with a link that is sent to this address, change your password, and sign out everywhere else.',
        ],
        action: { label: 'Open your account', url: `${baseUrl}/account` },
      };
    case 'organization_notice':
      return {
        ...common,
        subject: `${mail.organizationName} on Tocsin at ${host}`,
        headline: `A change of ${mail.organizationName}`,
        paragraphs: [mail.notice],
        action: { label: 'Open the organization', url: mail.url },
      };
    case 'email_confirmation':
      return {
        ...common,
        subject: `Confirm your new mail address at ${host}`,
        headline: 'Confirm your new mail address',
        paragraphs: [
          `The user ${mail.account} wants to use this address for the account at ${host}.`,
          `The link works for 24 hours, after signing in as ${mail.account}. If you are not this user, do nothing.`,
        ],
        action: { label: 'Confirm the address', url: mail.url },
      };
    case 'email_changed':
      return {
        ...common,
        subject: `The mail address of your account at ${host} was changed`,
        headline: 'The mail address of your account was changed',
        paragraphs: [
          `The address is now ${mail.newAddress}. Emails about your account, also links for signing in, go there.`,
          'If this was not you, undo the change within 7 days. That signs out all browsers, ends the access of programs, ' +
            'and removes a password, passkey or second factor that was set since then.',
        ],
        action: { label: 'Undo the change', url: mail.undoUrl },
      };
    default:
      return mail satisfies never;
  }
}
