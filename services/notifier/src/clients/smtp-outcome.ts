import type { Outcome } from '../domain/outcome.ts';

/**
 * Returns the outcome of an email that at least one recipient accepted. The next attempt retries temporarily rejected
 * recipients. A permanently rejected recipient does not affect the others.
 */
export function outcomeOfAccepted(
  accepted: readonly string[],
  errors: readonly { readonly responseCode?: number | undefined }[],
): Outcome {
  const later = errors.find(({ responseCode = 0 }) => responseCode < 500);
  return later ? { ...putOff(later.responseCode), reached: accepted } : { kind: 'delivered', httpStatus: undefined };
}

/**
 * Interprets an error of nodemailer when no recipient accepted the email. If the server rejects the recipients, a 5xx
 * response is final and a 4xx response is temporary (RFC 5321 §4.2.1). All other errors count as failures of the
 * installation, because only its operator can fix them. These include responses that require a login or reject the
 * email by policy (RFC 3463, X.7), because they concern the sender. The server's text is omitted, because it may
 * contain internal addresses. If the server has begun to read the email and did not respond, it may have accepted it.
 */
export function outcomeOfSmtpError(error: unknown, { wasRead }: { readonly wasRead: boolean }): Outcome {
  const { code, command, response, responseCode } = error as Record<string, unknown>;
  const status = typeof responseCode === 'number' ? responseCode : undefined;
  const isAboutSender = status === 530 || /^\d{3}[ -]5\.7\./.test(String(response));
  if (command === 'RCPT TO' && status !== undefined && !isAboutSender) {
    if (status < 500) return putOff(status);
    return { kind: 'refused', error: `the mail server refused every recipient (${status})`, httpStatus: undefined };
  }
  const why = status ?? (typeof code === 'string' ? code : 'no response');
  const words = `the mail could not be handed to the SMTP server (${why})`;
  const mayBeAccepted = wasRead && status === undefined;
  return { kind: 'failed', error: words, httpStatus: undefined, isOurs: true, ...(mayBeAccepted && { mayBeAccepted }) };
}

function putOff(status: number | undefined) {
  const error = `the mail server takes no mail for some recipients now (${status})`;
  return { kind: 'failed', error, httpStatus: undefined } as const;
}
