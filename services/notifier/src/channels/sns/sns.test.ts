import { expect, test } from 'vitest';
import { longest, notices } from '../../../test/notices.ts';
import { outcomeOfSns, snsMessage, snsRequest } from './sns.ts';

const config = {
  topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts',
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const now = new Date('2026-11-20T03:00:05.678Z');

test('a request is signed for the region and the time', async () => {
  const { url, headers, body } = await snsRequest('', config, notices.down, now);
  expect(url).toBe('https://sns.eu-central-1.amazonaws.com/');
  expect(headers['x-amz-date']).toBe('20261120T030005Z');
  expect(headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20261120\/eu-central-1\/sns\/aws4_request, SignedHeaders=[a-z;-]*host[a-z;-]*, Signature=[0-9a-f]{64}$/,
  );
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    Action: 'Publish',
    Version: '2010-03-31',
    TopicArn: config.topic_arn,
    Subject: 'Tocsin: Shop is down',
    Message: [
      '🔴 Shop is down',
      'Error: status 502, expected 200',
      'Since: 2026-11-20T03:00:00Z',
      'Checks: https://shop.example.com/health_check',
      'Details: https://tocsin.example.com/o/t1',
    ].join('\n'),
  });
});

test('the signature depends on the secret and on the body', async () => {
  const signature = async (...[settings, notice]: [typeof config, typeof notices.down]) =>
    (await snsRequest('', settings, notice, now)).headers.authorization;
  const first = await signature(config, notices.down);
  expect(await signature(config, notices.down)).toBe(first);
  expect(await signature({ ...config, secret_access_key: 'other' }, notices.down)).not.toBe(first);
  expect(await signature(config, { ...notices.down, error: 'other' })).not.toBe(first);
});

test.each([
  ['arn:aws-cn:sns:cn-north-1:123456789012:alerts', 'https://sns.cn-north-1.amazonaws.com.cn/'],
  ['arn:aws-us-gov:sns:us-gov-west-1:123456789012:alerts', 'https://sns.us-gov-west-1.amazonaws.com/'],
])('messages to the topic %s are posted to %s', async (topic_arn, url) => {
  expect((await snsRequest('', { ...config, topic_arn }, notices.down, now)).url).toBe(url);
});

test("a FIFO topic keeps the order of a monitor's alerts and drops repeats", async () => {
  const topic_arn = `${config.topic_arn}.fifo`;
  const { body } = await snsRequest('', { ...config, topic_arn }, notices.down, now);
  const form = Object.fromEntries(new URLSearchParams(body));
  expect(form).toMatchObject({ MessageGroupId: 'm1', MessageDeduplicationId: 'd1' });
});

test('the subject has at most 99 ASCII characters', () => {
  for (const notice of [longest, { ...notices.down, monitor: { ...notices.down.monitor, name: 'Café\n☕' } }]) {
    expect(snsMessage(notice).Subject).toMatch(/^[\x20-\x7e]{1,99}$/);
  }
  expect(Buffer.byteLength(snsMessage(longest).Message)).toBeLessThan(262_144);
});

const errorOf = (code: string, message = '') =>
  `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;

test.each([
  [200, '<PublishResponse><MessageId>94f20ce6-13c5</MessageId></PublishResponse>', undefined],
  [200, '<html>', { kind: 'failed' }],
  [403, errorOf('AuthorizationError'), { kind: 'refused' }],
  [403, errorOf('SignatureDoesNotMatch', 'The request signature does not match'), { kind: 'refused' }],
  [403, errorOf('SignatureDoesNotMatch', 'Signature expired: 2026'), { kind: 'failed', isOurs: true }],
  [404, errorOf('NotFound'), { kind: 'refused' }],
  [400, errorOf('Throttling'), { kind: 'failed', httpStatus: 429 }],
  [429, errorOf('Throttled'), { kind: 'failed', httpStatus: 429 }],
  [400, errorOf('InvalidParameter'), undefined],
  [500, errorOf('InternalError'), undefined],
  [503, '', undefined],
])('a response with status %i and the body %s has the outcome %j', (status, body, outcome) => {
  const found = outcomeOfSns({ status, headers: {}, body, truncated: false });
  if (outcome) expect(found).toMatchObject(outcome);
  else expect(found).toBeUndefined();
});
