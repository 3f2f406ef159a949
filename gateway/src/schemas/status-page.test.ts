import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { StatusPageSchema } from '@tocsin/proto/statuspage/v1/statuspage';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { data } from './common.ts';
import { PageSchema, toPageJson } from './status-page.ts';

test('a page has exactly the fields of its schema, so that it needs no serializer', async () => {
  const at = { createdAt: timestampFromDate(new Date(0)), updatedAt: timestampFromDate(new Date(1e12)) };
  const component = { id: 'c', name: 'API "1"', ...at };
  const described = { ...component, description: 'é\n', startDate: '2026-11-20', componentGroupId: 'g' };
  const page = create(StatusPageSchema, {
    id: 'p',
    name: 'Shop',
    slug: 'shop',
    ...at,
    entries: [
      { entry: { case: 'component', value: component } },
      { entry: { case: 'component', value: { ...described, position: 1, monitors: [{ monitorId: 'm' }] } } },
      { entry: { case: 'group', value: { id: 'g', name: 'Group', ...at, components: [component, described] } } },
      { entry: { case: 'group', value: { id: 'h', name: 'Open', defaultOpen: true, ...at } } },
    ],
  });
  const app = fastify();
  const body = { data: toPageJson(page) };
  app.get('/', { schema: { response: { 200: data(PageSchema) } } }, async () => body);
  // The serializer leaves out other fields, and converts values of other types.
  expect((await app.inject('/')).json()).toStrictEqual(body);
});
