import { expect, test } from 'vitest';
import type { Operation } from '../../document/types.ts';
import { exampleCall } from './example-call.ts';
import { LANGUAGES } from './samples.ts';

const BASE = 'https://status.example.com';

const create: Operation = {
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string', examples: ['a b'] } },
    { name: 'shelf', in: 'path', required: true, schema: { type: 'string' }, example: 'top' },
  ],
  requestBody: { content: { 'application/json': { schema: {}, example: { name: "Jane's `shop`", open: true } } } },
  responses: { 201: { description: 'Created', content: { 'application/json': { schema: {} } } } },
};
const ping: Operation = { security: [], responses: { 204: { description: 'Done' } } };

function samplesOf(method: string, path: string, operation: Operation): Record<string, string> {
  const call = exampleCall(BASE, method, path, operation);
  return Object.fromEntries(LANGUAGES.map(({ id, sample }) => [id, sample(call)]));
}

test('a sample sends the credential and the body, and replaces path parameters with example values', () => {
  const { curl, javascript, python, go } = samplesOf('post', '/shops/{id}/{shelf}', create);
  expect(curl).toBe(`curl -X POST 'https://status.example.com/shops/a%20b/top' \\
  -H "authorization: Bearer $TOCSIN_API_KEY" \\
  -H 'content-type: application/json' \\
  -d '{
  "name": "Jane'\\''s \`shop\`",
  "open": true
}'`);
  expect(javascript).toBe(`const response = await fetch("https://status.example.com/shops/a%20b/top", {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.TOCSIN_API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({
    "name": "Jane's \`shop\`",
    "open": true
  }),
});
console.log(response.status, await response.json());`);
  expect(python).toBe(`import os
import requests

response = requests.post(
    "https://status.example.com/shops/a%20b/top",
    headers={"authorization": f"Bearer {os.environ['TOCSIN_API_KEY']}"},
    json={
        "name": "Jane's \`shop\`",
        "open": True
    },
)
print(response.status_code, response.json())`);
  expect(go).toContain('strings.NewReader("{\\n  \\"name\\": \\"Jane\'s `shop`\\",\\n  \\"open\\": true\\n}")');
  expect(go).toContain('request.Header.Set("authorization", "Bearer "+os.Getenv("TOCSIN_API_KEY"))');
});

test('a sample contains code for the credential, the body and the response only if the operation has them', () => {
  const { curl, javascript, python, go } = samplesOf('get', '/ping', ping);
  expect(curl).toBe("curl 'https://status.example.com/ping'");
  expect(javascript).toBe(
    'const response = await fetch("https://status.example.com/ping");\nconsole.log(response.status);',
  );
  expect(python).toBe(`import requests

response = requests.get(
    "https://status.example.com/ping",
)
print(response.status_code)`);
  expect(go).toContain('http.NewRequest("GET", "https://status.example.com/ping", nil)');
  expect(go).not.toMatch(/"os"|"strings"|Header\.Set/);
});

test('the Python sample replaces JSON constants with Python constants, except inside strings', () => {
  const body = { content: { 'application/json': { schema: {}, example: { a: null, b: 'true, "null"', c: false } } } };
  const { python = '' } = samplesOf('put', '/', { ...ping, requestBody: body });
  expect(python).toContain('"a": None,\n        "b": "true, \\"null\\"",\n        "c": False');
});
