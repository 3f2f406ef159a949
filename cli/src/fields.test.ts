import { expect, test } from 'vitest';
import { apiSchemas } from './api-schemas.ts';
import { UsageError } from './errors.ts';
import { bodyOf } from './fields.ts';

test('the schema determines which arguments are sent as strings', () => {
  const args = [
    'name=404',
    'check_type=http',
    'config.url=https://a.example/?b=c',
    'config.expected_status_codes=200,204',
    'config.follow_redirects=false',
    'config.headers.x-token={{TOKEN}}',
    'secrets.TOKEN=123',
    'interval_seconds=60',
  ];
  expect(bodyOf(args, apiSchemas.monitor)).toEqual({
    name: '404',
    check_type: 'http',
    config: {
      url: 'https://a.example/?b=c',
      expected_status_codes: [200, 204],
      follow_redirects: false,
      headers: { 'x-token': '{{TOKEN}}' },
    },
    secrets: { TOKEN: '123' },
    interval_seconds: 60,
  });
});

test('arguments can set null, lists, objects and unknown fields', () => {
  expect(bodyOf(['description=null', 'theme=dark'], apiSchemas.status_page)).toEqual({
    description: null,
    theme: 'dark',
  });
  expect(bodyOf(['events=monitor.created,monitor.deleted'], apiSchemas.webhook)).toEqual({
    events: ['monitor.created', 'monitor.deleted'],
  });
  expect(bodyOf(['config={"recipients":["a@example.com"]}', 'new=1'], apiSchemas.alert_channel)).toEqual({
    config: { recipients: ['a@example.com'] },
    new: 1,
  });
});

test('arguments add fields to those from a file', () => {
  const base = { name: 'A', config: { url: 'https://a.example', method: 'GET' } };
  expect(bodyOf(['config.method=HEAD'], apiSchemas.monitor, base)).toEqual({
    name: 'A',
    config: { url: 'https://a.example', method: 'HEAD' },
  });
});

test.each(['name', '=x', ''])('the argument %j is refused because it is not like name=value', (arg) => {
  expect(() => bodyOf([arg], apiSchemas.monitor)).toThrow(UsageError);
});
