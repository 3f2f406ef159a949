import { expect, test } from 'vitest';
import { outcomeOfAccepted, outcomeOfSmtpError } from './smtp-outcome.ts';

const recipient = { code: 'EENVELOPE', command: 'RCPT TO' };

test.each([
  [{ ...recipient, responseCode: 550, response: '550 5.1.1 no such user' }, 'refused', undefined],
  [{ ...recipient, responseCode: 553, response: '553 no' }, 'refused', undefined],
  [{ ...recipient, responseCode: 450, response: '450 4.2.1 greylisted' }, 'failed', undefined],
  [{ ...recipient, responseCode: 554, response: '554 5.7.1 relay access denied' }, 'failed', true],
  [{ ...recipient, responseCode: 530, response: '530 authentication required' }, 'failed', true],
  [{ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535, response: '535 bad password' }, 'failed', true],
  [{ code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 550, response: '550 no sender' }, 'failed', true],
  [{ code: 'EMESSAGE', command: 'DATA', responseCode: 554, response: '554 spam' }, 'failed', true],
  [{ code: 'ECONNREFUSED', command: 'CONN' }, 'failed', true],
])('the SMTP error %j has the outcome %s (caused by the installation: %s)', (error, kind, isOurs) => {
  const outcome = outcomeOfSmtpError(Object.assign(new Error('at 10.1.2.3'), error), { wasRead: false });
  expect(outcome).toMatchObject({ kind, ...(isOurs && { isOurs }) });
  expect('isOurs' in outcome).toBe(isOurs === true);
  // The error contains a status or an error code, but no text from the server.
  expect(JSON.stringify(outcome)).not.toMatch(/10\.1\.2\.3|no such|relay|password|spam|greylisted/);
});

test.each([
  ['the connection failed before the server read the email', { code: 'ETIMEDOUT', command: 'CONN' }, false, false],
  ['the connection failed afterwards', { code: 'ETIMEDOUT', command: 'CONN' }, true, true],
  ['the server rejected the email', { code: 'EMESSAGE', command: 'DATA', responseCode: 451 }, true, false],
])('if %s, the outcome says whether the email may be accepted', (_, error, wasRead, mayBeAccepted) => {
  const outcome = outcomeOfSmtpError(error, { wasRead });
  expect(outcome).toMatchObject({ kind: 'failed', isOurs: true, ...(mayBeAccepted && { mayBeAccepted }) });
  expect('mayBeAccepted' in outcome).toBe(mayBeAccepted);
});

test('a partly accepted email is retried only if a recipient was rejected temporarily', () => {
  expect(outcomeOfAccepted(['a@example.com'], [{ responseCode: 550 }])).toMatchObject({ kind: 'delivered' });
  expect(outcomeOfAccepted(['a@example.com'], [{ responseCode: 550 }, { responseCode: 451 }])).toMatchObject({
    kind: 'failed',
    reached: ['a@example.com'],
  });
});
