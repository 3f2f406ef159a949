import { expect, test } from 'vitest';
import { notices } from '../../../test/notices.ts';
import { grafanaAlert } from './grafana-irm.ts';

test('a down alert has the state "alerting"', () => {
  expect(grafanaAlert(notices.down)).toEqual({
    alert_uid: 'tocsin-outage-o1',
    title: 'Shop is down',
    state: 'alerting',
    message: [
      'Error: status 502, expected 200',
      'Since: 2026-11-20T03:00:00Z',
      'Checks: https://shop.example.com/health_check',
      'Details: https://tocsin.example.com/o/t1',
    ].join('\n'),
    link_to_upstream_details: 'https://tocsin.example.com/o/t1',
  });
});

test.each([
  [notices.recovered, 'ok', 'tocsin-outage-o1', 'Shop is up again'],
  [notices.stale, 'alerting', 'tocsin-stale-m1', 'Shop has no recent data'],
  [
    notices.certExpiring,
    'alerting',
    'tocsin-certificate-m1-1795780800-7',
    'Shop has a certificate that expires in 7 days',
  ],
  [notices.test, 'alerting', 'tocsin-test-d1', 'Test alert came through'],
])('the status and the key depend on the kind of alert: $kind', (notice, state, uid, title) => {
  expect(grafanaAlert(notice)).toMatchObject({ state, alert_uid: uid, title });
});
