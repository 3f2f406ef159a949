import { expect, test } from 'vitest';
import { hostile, notices } from '../../../test/notices.ts';
import { incidentIoEvent } from './incident-io.ts';

test('a down alert has the status "firing"', () => {
  expect(incidentIoEvent(notices.down)).toEqual({
    title: 'Shop is down',
    description: [
      '- Error: status 502, expected 200',
      '- Since: 2026-11-20T03:00:00Z',
      '- Checks: <https://shop.example.com/health_check>',
    ].join('\n'),
    status: 'firing',
    deduplication_key: 'tocsin-outage-o1',
    source_url: 'https://tocsin.example.com/o/t1',
    metadata: { event: 'monitor_down', monitor_id: 'm1', monitor_name: 'Shop' },
  });
});

test.each([
  [notices.recovered, 'resolved', 'tocsin-outage-o1', 'Shop is up again'],
  [notices.stale, 'firing', 'tocsin-stale-m1', 'Shop has no recent data'],
  [
    notices.certExpiring,
    'firing',
    'tocsin-certificate-m1-1795780800-7',
    'Shop has a certificate that expires in 7 days',
  ],
  [notices.test, 'firing', 'tocsin-test-d1', 'Test alert came through'],
])('the status and the key depend on the kind of alert: $kind', (notice, status, key, title) => {
  expect(incidentIoEvent(notice)).toMatchObject({ status, deduplication_key: key, title });
});

test('tenant text never becomes markup', () => {
  expect(incidentIoEvent(hostile).description).toContain('- Error: \\<!channel\\> \\`code\\`');
});
