import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { StatusPageSchema } from '@tocsin/proto/statuspage/v1/statuspage';
import fastify from 'fastify';
import { type TSchema, Type } from 'typebox';
import { expect, test } from 'vitest';
import { ComponentSchema, GroupSchema } from './component.ts';
import { PageSchema, toPageJson } from './status-page.ts';

/** Returns a value as a response with this schema has it: with the fields of the schema, in its order. */
async function serialized(schema: TSchema, value: unknown): Promise<string> {
  await using app = fastify();
  app.get('/', { schema: { response: { 200: schema } } }, async () => value);
  return (await app.inject('/')).body;
}

test('a page has exactly the fields of its schema, in the same order, so that it needs no serializer', async () => {
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
  const body = toPageJson(page);
  // The serializer leaves out other fields, and converts values of other types.
  expect(JSON.parse(await serialized(PageSchema, body))).toStrictEqual(body);
  // The schema of an entry has optional fields, which the serializer writes last. The schemas of groups and components
  // have none, and their order is the documented one.
  const { components: entries, ...settings } = body;
  const summary = Type.Omit(PageSchema, ['components']);
  expect(JSON.stringify(settings)).toBe(await serialized(summary, settings));
  expect(Object.keys(body).at(-1)).toBe('components');
  for (const entry of entries) {
    const schema = entry.type === 'group' ? GroupSchema : ComponentSchema;
    expect(JSON.stringify(entry)).toBe(await serialized(schema, entry));
  }
});
