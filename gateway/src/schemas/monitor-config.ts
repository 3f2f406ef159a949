import { type CheckType, DNS_RECORD_TYPES } from '@tocsin/enums';
import { type TObject, type TProperties, Type } from 'typebox';
import { MAX_URL, oneOf } from './common.ts';

const Host = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: '^([^\\s/\\\\?#@:%\\[\\]]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$',
  'x-pattern-message': 'must be a host name or an IP address such as shop.example.com, without a scheme or a port',
  description: 'Host name or IP address, without a scheme or a port',
  examples: ['db.example.com'],
});

const Keyword = Type.String({ maxLength: 1_000, description: 'At most 1000 bytes' });

/** Schema of each check type's config, for the OpenAPI document. The monitor service validates the configs. */
export const monitorConfigs: Readonly<Record<CheckType, TObject>> = {
  http: config('HttpConfig', {
    url: Type.String({
      format: 'uri',
      maxLength: MAX_URL * 4,
      description: 'http or https URL, without a user name or password',
      examples: ['https://example.com/health'],
    }),
    method: Type.Optional(oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'], { default: 'GET' })),
    expected_status_codes: Type.Optional(
      Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
        maxItems: 10_000,
        description: 'Absent or empty: 200 to 399',
        examples: [[200]],
      }),
    ),
    follow_redirects: Type.Optional(Type.Boolean({ default: true, description: 'At most 10 redirects' })),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        maxProperties: 20,
        additionalProperties: { type: 'string', maxLength: 8_192 },
        description:
          'Headers of the request, except those about the length of the body; the case of names does not matter. `{{NAME}}` stands for the secret of that name',
        examples: [{ accept: 'application/json' }],
      }),
    ),
    body: Type.Optional(
      Type.String({
        maxLength: 65_536,
        description: 'Body of the request, at most 65536 bytes. `{{NAME}}` stands for the secret of that name',
        examples: ['{"ping": true}'],
      }),
    ),
    expected_keyword: Type.Optional({ ...Keyword, description: 'Text that the response must contain' }),
    unexpected_keyword: Type.Optional({ ...Keyword, description: 'Text that the response must not contain' }),
    max_response_time_ms: Type.Optional(
      Type.Integer({ minimum: 1, description: 'A slower response counts as a failure', examples: [2_000] }),
    ),
    verify_tls: Type.Optional(Type.Boolean({ default: true, description: 'Fail on an invalid certificate' })),
  }),
  tcp: config('TcpConfig', {
    host: Host,
    port: Type.Integer({ minimum: 1, maximum: 65_535, examples: [5432] }),
    tls: Type.Optional(Type.Boolean({ default: false, description: 'Complete a TLS handshake, too' })),
  }),
  dns: config('DnsConfig', {
    host: { ...Host, description: 'Name to look up', examples: ['example.com'] },
    record_type: Type.Optional(oneOf(DNS_RECORD_TYPES, { default: 'A' })),
    nameserver: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'IP address of the name server to ask, with an optional port',
        examples: ['192.0.2.53:53'],
      }),
    ),
    expected_records: Type.Optional(
      Type.Array(Type.String({ maxLength: 65_536 }), {
        maxItems: 10_000,
        description: 'All of them must be in the response; case and a final dot do not matter',
        examples: [['192.0.2.10']],
      }),
    ),
  }),
  heartbeat: config('HeartbeatConfig', {
    expected_interval: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 86_400,
        description: 'Seconds between pings; absent: `interval_seconds`',
        examples: [3_600],
      }),
    ),
    consecutive_misses: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        default: 2,
        description: 'Missing pings in a row with which the monitor fails',
      }),
    ),
  }),
  synthetic: config('SyntheticConfig', {
    script: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'JavaScript that drives a browser with `page` of Playwright, at most 65536 bytes',
      examples: ["await page.goto('https://shop.example.com/');"],
    }),
  }),
};

function config(title: string, fields: TProperties): TObject {
  return Type.Object(fields, { title, additionalProperties: true, maxProperties: 1_000 });
}
