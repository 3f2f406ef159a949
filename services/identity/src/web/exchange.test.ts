import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type Exchange, readForm } from './exchange.ts';

/** Returns the fields that readForm() reads from a body of the given type. */
async function fieldsOf(type: string, body: string): Promise<Record<string, string>> {
  const request = Object.setPrototypeOf(Readable.from([Buffer.from(body)]), IncomingMessage.prototype);
  Object.defineProperty(request, 'headers', { value: { 'content-type': type } });
  return Object.fromEntries(await readForm({ request } as Exchange));
}

const FORM = 'application/x-www-form-urlencoded';

test('the fields of a form are read', async () => {
  expect(await fieldsOf(FORM, 'email=jane%40example.com&next=%2F')).toEqual({ email: 'jane@example.com', next: '/' });
  expect(await fieldsOf(`${FORM}; charset=utf-8`, 'a=1')).toEqual({ a: '1' });
});

test('a body that is not a form is read as a form without fields', async () => {
  expect(await fieldsOf('text/plain', 'a=1')).toEqual({});
  expect(await fieldsOf('application/x-www-form-urlencodedx', 'a=1')).toEqual({});
});

test.each([
  [16_384, 1],
  [16_385, 0],
])('a form of more than 16 KB is read as empty: with %i bytes, the number of fields is %i', async (bytes, fields) => {
  expect(Object.keys(await fieldsOf(FORM, `a=${'x'.repeat(bytes - 2)}`))).toHaveLength(fields);
});
