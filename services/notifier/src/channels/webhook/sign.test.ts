import { expect, test } from 'vitest';
import { secretBytes, webhookHeaders } from './sign.ts';

test('the signature equals the example in the specification', () => {
  // Example from the specification:
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  const secret = secretBytes('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: new Date(1_614_265_330_000),
    body: '{"test": 2432232314}',
  };
  expect(webhookHeaders(message, [secret])).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('two secrets create two signatures', () => {
  const message = { id: 'd1', at: new Date(0), body: '' };
  const signatureOf = (...secrets: string[]) => webhookHeaders(message, secrets.map(secretBytes))['webhook-signature'];
  expect(signatureOf('new', 'former')).toBe(`${signatureOf('new')} ${signatureOf('former')}`);
});

test('a message without a secret has an id but no signature', () => {
  const headers = webhookHeaders({ id: 'd1', at: new Date(0), body: '' }, [undefined]);
  expect(headers).toEqual({ 'webhook-id': 'd1', 'webhook-timestamp': '0' });
});

test.each([
  ['whsec_aGVsbG8=', 'hello'],
  ['whsec_aGVsbG8', 'hello'],
  ['hello', 'hello'],
  ['whsec_', undefined],
  ['whsec_not base64!', undefined],
])('the secret %s has the bytes %s', (secret, text) => {
  expect(secretBytes(secret)?.toString()).toBe(text);
});
