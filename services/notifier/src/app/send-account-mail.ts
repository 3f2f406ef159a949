import { invalid, ServiceError } from '@tocsin/errors';
import { isEmail } from '@tocsin/text';
import { v7 } from 'uuid';
import { type AccountMail, accountEmail } from '../domain/account-emails.ts';
import { renderEmail } from '../domain/render-email.ts';
import type { Deps } from './ports.ts';

/**
 * Sends an email about an account. The email is not stored, because it contains a secret.
 * @throws ServiceError `invalid` for an invalid address, `unavailable` if the mail server did not accept the email.
 */
export async function sendAccountMail(
  { sendUserMail, baseUrl, logger }: Pick<Deps, 'sendUserMail' | 'baseUrl' | 'logger'>,
  { to, ...mail }: AccountMail & { readonly to: string },
): Promise<void> {
  if (!isEmail(to)) throw invalid({ to: ['must be a mail address such as jane@example.com'] });
  const outcome = await sendUserMail({
    id: `account-${v7()}`,
    // Sign-in links do not wait for many invitations.
    tenant: mail.kind,
    to: [to],
    ...renderEmail(accountEmail(mail, baseUrl)),
  });
  if (outcome.kind === 'delivered') return;
  logger.warn({ kind: mail.kind }, `an email about an account was not sent: ${outcome.error}`);
  throw new ServiceError('unavailable', 'the mail server did not accept the email');
}
