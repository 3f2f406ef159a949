import type { ExampleCall } from './example-call.ts';

/** Returns a curl command. */
export function curl({ method, url, hasCredential, body }: ExampleCall): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(hasCredential ? ['-H "authorization: Bearer $TOCSIN_API_KEY"'] : []),
    ...(body === undefined
      ? []
      : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** Quotes a text as one word of a shell command. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
