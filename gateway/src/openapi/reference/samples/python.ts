import type { ExampleCall } from './example-call.ts';

/** Returns a Python program that uses the package `requests`. */
export function python({ method, url, hasCredential, body, returnsJson }: ExampleCall): string {
  const options = [
    `    ${JSON.stringify(url)},`,
    ...(hasCredential ? [`    headers={"authorization": f"Bearer {os.environ['TOCSIN_API_KEY']}"},`] : []),
    ...(body === undefined ? [] : [`    json=${literal(body).replaceAll('\n', '\n    ')},`]),
  ];
  return `${hasCredential ? 'import os\n' : ''}import requests

response = requests.${method.toLowerCase()}(
${options.join('\n')}
)
print(response.status_code${returnsJson ? ', response.json()' : ''})`;
}

const CONSTANTS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** Returns a value as Python code. JSON is valid Python except for `true`, `false` and `null`. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 4).replace(
    /"(?:\\.|[^"\\])*"|\b(?:true|false|null)\b/g,
    (token) => CONSTANTS[token] ?? token,
  );
}
