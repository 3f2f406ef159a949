import type { FetchResponse } from '@tocsin/netguard';
import { AwsV4Signer } from 'aws4fetch';
import type { ChannelKind } from '../../app/ports.ts';
import type { Notice } from '../../domain/notice.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkTexts, WORD } from '../config-fields.ts';
import { type PostRequest, post } from '../post.ts';
import type { Provider } from '../provider.ts';
import { receiverOf, refusalBy } from '../refusals.ts';
import { EMOJI, headlineOf, linesOf, lookOf } from '../words.ts';
import { REFUSALS } from './sns-refusals.ts';

/** Maximum length of a subject, in ASCII characters: https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
const MAX_SUBJECT = 99;
const MAX_HEADLINE = 600;
const MAX_VALUE = 1000;

const TOPIC_ARN = {
  pattern: /^arn:aws(-cn|-us-gov)?:sns:[a-z]{2}(-[a-z]+)+-\d{1,2}:\d{12}:[\w-]{1,256}(\.fifo)?$/,
  mustBe: 'the ARN of a topic such as arn:aws:sns:eu-central-1:123456789012:alerts',
};
const RULES = { topic_arn: TOPIC_ARN, access_key_id: WORD, secret_access_key: WORD };

const SNS = receiverOf(REFUSALS, outcomeOfSns);

/** Publishes to a topic of Amazon SNS. */
export function sns({ apiGuard, apiUrl }: Provider, now: () => Date): ChannelKind {
  return {
    type: 'sns',

    async check(config, errors) {
      checkTexts(config, RULES, errors);
    },

    send: async (config, notice) => post(apiGuard, await snsRequest(apiUrl, config, notice, now()), SNS),
  };
}

/** Returns a signed request (Signature Version 4). An empty `apiUrl` means the API of the topic's region. */
export async function snsRequest(
  apiUrl: string,
  config: Readonly<Record<string, unknown>>,
  notice: Notice,
  now: Date,
): Promise<PostRequest> {
  const arn = String(config.topic_arn);
  const [, partition, , region = ''] = arn.split(':');
  const host = apiUrl === '' ? `https://sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}` : apiUrl;
  const isFifo = arn.endsWith('.fifo');
  const signer = new AwsV4Signer({
    url: `${host}/`,
    method: 'POST',
    accessKeyId: String(config.access_key_id),
    secretAccessKey: String(config.secret_access_key),
    service: 'sns',
    region,
    datetime: now.toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      Action: 'Publish',
      Version: '2010-03-31',
      TopicArn: arn,
      ...snsMessage(notice),
      ...(isFifo && { MessageGroupId: notice.monitor.id, MessageDeduplicationId: notice.id }),
    }).toString(),
  });
  const { url, headers, body } = await signer.sign();
  return { url: url.href, headers: Object.fromEntries(headers), body: String(body) };
}

/** Returns a message in plain text, which SNS sends to subscribed email addresses and phones. */
export function snsMessage(notice: Notice) {
  const prefix = 'Tocsin: ';
  const subject = `${prefix}${headlineOf(notice, MAX_SUBJECT - prefix.length)}`;
  return {
    Subject: subject.replaceAll(/[^\x20-\x7e]/g, '?'),
    Message: `${EMOJI[lookOf(notice)]} ${headlineOf(notice, MAX_HEADLINE)}\n${linesOf(notice, MAX_VALUE)}`,
  };
}

/** Interprets a response by the error code in its body, which is more precise than the status. */
export function outcomeOfSns({ status: httpStatus, body, truncated }: FetchResponse): Outcome | undefined {
  if (httpStatus === 200) {
    if (truncated || /<MessageId>[\w-]+<\/MessageId>/.test(body)) return undefined;
    return { kind: 'failed', error: 'Amazon SNS responded with 200, but published nothing', httpStatus };
  }
  const code = /<Code>(\w{1,64})<\/Code>/.exec(body)?.[1];
  if (code === undefined) return undefined;
  const error = `Amazon SNS returned ${code}`;
  // The clock of this installation causes this error, not the receiver: the signature contains the time.
  if (code === 'RequestExpired' || /Signature (expired|not yet current)/.test(body))
    return { kind: 'failed', error: `${error}: the clock of this installation is wrong`, httpStatus, isOurs: true };
  // This API responds with a 400 when it limits the rate.
  if (/^Thrott/.test(code) || code === 'KMSThrottling') return { kind: 'failed', error, httpStatus: 429 };
  return refusalBy(REFUSALS, code, { httpStatus });
}
