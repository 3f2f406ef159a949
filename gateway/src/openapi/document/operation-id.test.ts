import { expect, test } from 'vitest';
import { operationId, resourceOf } from './operation-id.ts';

test.each([
  ['get', '/me', 'getMe'],
  ['get', '/monitors', 'listMonitors'],
  ['post', '/monitors', 'createMonitor'],
  ['get', '/monitors/{id}', 'getMonitor'],
  ['patch', '/monitors/{id}', 'updateMonitor'],
  ['delete', '/monitors/{id}', 'deleteMonitor'],
  ['post', '/monitors/{id}/check', 'checkMonitor'],
  ['get', '/monitors/{id}/state', 'getMonitorState'],
  ['put', '/status-pages/{id}/structure', 'replaceStatusPageStructure'],
  ['get', '/status-pages/{status_page_id}/component-groups', 'listStatusPageComponentGroups'],
  ['post', '/status-pages/{status_page_id}/components', 'createStatusPageComponent'],
  ['patch', '/status-pages/{status_page_id}/components/{id}', 'updateStatusPageComponent'],
  ['get', '/webhooks/{id}/deliveries', 'listWebhookDeliveries'],
  ['post', '/webhooks/{id}/deliveries/{delivery_id}/redeliver', 'redeliverWebhookDelivery'],
  ['get', '/api-keys/{id}', 'getApiKey'],
])('the operation id of %s %s is %s', (method, path, name) => {
  expect(operationId(method, `/api/v1${path}`)).toBe(name);
});

test('the resource of a path parameter is taken from the segment before the parameter', () => {
  const path = '/api/v1/status-pages/{status_page_id}/component-groups/{id}';
  expect(resourceOf(path, 'status_page_id')).toBe('status page');
  expect(resourceOf(path, 'id')).toBe('component group');
});
