import type { Outcome } from '../domain/outcome.ts';

/** Some recipients accepted. Retries deferred ones; a permanent refusal of one does not affect the others. */
export function outcomeOfAccepted(
  accepted: readonly string[],
  errors: readonly { readonly responseCode?: number | undefined }[],
): Outcome {
  const later = errors.find(({ responseCode = 0 }) => responseCode < 500);
  return later ? { ...putOff(later.responseCode), reached: accepted } : { kind: 'delivered', httpStatus: undefined };
}

/**
 * Interprets an error of nodemailer when no recipient accepted. A 5xx to the recipients is final
 * (RFC 5321 §4.2.1), unless the server means the sender: it wants a login, or has a policy (RFC 3463, X.7). That, and
 * whatever is no response to a recipient, is between the operator and the server. The server's own text, which may
 * contain inside addresses, is left out.
 */
export function outcomeOfSmtpError(error: unknown): Outcome {
  const { code, command, response, responseCode } = error as Record<string, unknown>;
  const status = typeof responseCode === 'number' ? responseCode : undefined;
  const isAboutSender = status === 530 || /^\d{3}[ -]5\.7\./.test(String(response));
  if (command === 'RCPT TO' && status !== undefined && !isAboutSender) {
    if (status < 500) return putOff(status);
    return { kind: 'refused', error: `the mail server refused every recipient (${status})`, httpStatus: undefined };
  }
  const why = status ?? (typeof code === 'string' ? code : 'no response');
  const words = `the mail could not be handed to the SMTP server (${why})`;
  return { kind: 'failed', error: words, httpStatus: undefined, isOurs: true };
}

function putOff(status: number | undefined) {
  const error = `the mail server takes no mail for some recipients now (${status})`;
  return { kind: 'failed', error, httpStatus: undefined } as const;
}
