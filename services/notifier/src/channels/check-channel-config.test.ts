import type { FieldErrors } from '@tocsin/errors';
import { describe, expect, test } from 'vitest';
import { configErrors } from '../../test/config-errors.ts';
import type { ChannelConfig } from '../domain/channel-config.ts';

const url = 'https://hooks.example.com/x';
const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'x').toString('base64')}`;
const SECRET = 'must be whsec_ and at least 24 bytes in base64';

describe('webhooks', () => {
  test.each<[string, ChannelConfig]>([
    ['https', { url }],
    ['http to an allowed address range', { url: 'http://127.0.0.1:9000/hook' }],
    ['http to a name inside an allowed address range', { url: 'http://inside.example.com/hook' }],
    [
      'all fields',
      {
        url,
        headers: { Authorization: 'Bearer x', 'X-Team': 'ops' },
        payload_template: '{"text": "{{monitor_name}}"}',
        signing_secret: secretOf(24),
      },
    ],
    ['200 variables in a template', { url, payload_template: `"${'{{ event }}'.repeat(200)}"` }],
    ['nulls for the optional fields', { url, headers: null, payload_template: null, signing_secret: null }],
    ['unknown keys', { url, colour: 'red' }],
  ])('a webhook configuration with %s is valid', async (_, config) => {
    expect(await configErrors('webhook', config)).toEqual({});
  });

  test.each<[ChannelConfig, FieldErrors]>([
    [{}, { 'config.url': ['is required'] }],
    [{ url: null }, { 'config.url': ['is required'] }],
    [{ url: 7 }, { 'config.url': ['must be a string'] }],
    [{ url: 'nonsense' }, { 'config.url': ['must be an https URL'] }],
    [{ url: 'ftp://example.com' }, { 'config.url': ['must be an https URL'] }],
    [{ url: 'http://outside.example.com' }, { 'config.url': ['must be an https URL'] }],
    [{ url: 'https://jane:secret@example.com' }, { 'config.url': ['must not carry a user name or password'] }],
    [{ url: 'https://10.0.0.1/' }, { 'config.url': ['must not be a private address'] }],
    [{ url: 'https://0x0a000001/' }, { 'config.url': ['must be an https URL'] }],
    [{ url: 'https:example.com' }, { 'config.url': ['must be an https URL'] }],
    [{ url: 'https://exa\nmple.com/' }, { 'config.url': ['must be an https URL'] }],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, { 'config.url': ['must not be a private address'] }],
    [{ url: `https://example.com/${'x'.repeat(2048)}` }, { 'config.url': ['must be at most 2048 characters'] }],
    [{ url, headers: [] }, { 'config.headers': ['must be an object of strings'] }],
    [{ url, headers: { 'X-Ok': 1 } }, { 'config.headers.X-Ok': ['must be a string'] }],
    [{ url, headers: { 'no name': 'x' } }, { 'config.headers.no name': ['is not a header name'] }],
    [{ url, headers: { Host: 'evil' } }, { 'config.headers.Host': ['is set by the sender'] }],
    [{ url, headers: { 'X-A': 'a\r\nb' } }, { 'config.headers.X-A': ['may hold visible ASCII characters only'] }],
    [
      { url, headers: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, 'v'])) },
      { 'config.headers': ['must have at most 20 entries'] },
    ],
    [{ url, payload_template: {} }, { 'config.payload_template': ['must be a string'] }],
    [
      { url, payload_template: '{{event}}' },
      { 'config.payload_template': ['must be valid JSON, with every {{variable}} inside a string'] },
    ],
    [
      { url, payload_template: `"${'{{event}}'.repeat(201)}"` },
      { 'config.payload_template': ['must contain at most 200 {{variables}}'] },
    ],
    [{ url, signing_secret: 'whsec_!' }, { 'config.signing_secret': [SECRET] }],
    [{ url, signing_secret: secretOf(23) }, { 'config.signing_secret': [SECRET] }],
    [{ url, signing_secret: 'x'.repeat(100) }, { 'config.signing_secret': [SECRET] }],
    [
      { headers: 'x', payload_template: 'x', signing_secret: 1 },
      {
        'config.url': ['is required'],
        'config.headers': ['must be an object of strings'],
        'config.payload_template': ['must be valid JSON, with every {{variable}} inside a string'],
        'config.signing_secret': ['must be a string'],
      },
    ],
  ])('the webhook configuration %j has the errors %j', async (config, fields) => {
    expect(await configErrors('webhook', config)).toEqual(fields);
  });
});

describe('Slack channels', () => {
  test.each<[string, ChannelConfig]>([
    ['an incoming webhook', { webhook_url: 'https://hooks.slack.com/services/T0/B0/x', channel_name: '#ops' }],
    ['a webhook inside an allowed address range', { webhook_url: 'http://127.0.0.1:9000/services/x' }],
    ['a bot', { bot_token: 'xoxb-1-2', channel_id: 'C0123', channel_name: '#ops' }],
  ])('a Slack configuration with %s is valid', async (_, config) => {
    expect(await configErrors('slack', config)).toEqual({});
  });

  test.each<[ChannelConfig, FieldErrors]>([
    [{}, { 'config.webhook_url': ['is required, unless bot_token and channel_id are given'] }],
    [{ webhook_url: 'https://example.com/services' }, { 'config.webhook_url': ['must be on hooks.slack.com'] }],
    [{ webhook_url: 'http://hooks.slack.com/services' }, { 'config.webhook_url': ['must be an https URL'] }],
    [{ webhook_url: 'https://hooks.slack.com.evil.example' }, { 'config.webhook_url': ['must be on hooks.slack.com'] }],
    [{ bot_token: 'xoxb-1' }, { 'config.channel_id': ['is required'] }],
    [{ channel_id: 'C0' }, { 'config.bot_token': ['is required'] }],
    [
      { bot_token: 'a b', channel_id: 7 },
      {
        'config.bot_token': ['must be at most 255 visible ASCII characters without spaces'],
        'config.channel_id': ['must be a string'],
      },
    ],
  ])('the Slack configuration %j has the errors %j', async (config, fields) => {
    expect(await configErrors('slack', config)).toEqual(fields);
  });
});
