import type { ExampleCall } from './example-call.ts';

/** Returns the code of a Node.js module that makes the call and prints the response. */
export function javascript({ method, url, hasCredential, body, returnsJson }: ExampleCall): string {
  const headers = [
    ...(hasCredential ? [`    authorization: \`Bearer \${process.env.TOCSIN_API_KEY}\`,`] : []),
    ...(body === undefined ? [] : [`    'content-type': 'application/json',`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`]),
  ];
  const call =
    options.length > 0 ? `fetch(${JSON.stringify(url)}, {\n${options.join('\n')}\n})` : `fetch(${JSON.stringify(url)})`;
  return `const response = await ${call};
console.log(response.status${returnsJson ? ', await response.json()' : ''});`;
}
