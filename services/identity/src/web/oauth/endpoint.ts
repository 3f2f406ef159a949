import type { Exchange } from '../exchange.ts';

/** Maximum size of a body in bytes. The gateway has the same limit. */
const MAX_BODY_BYTES = 16 * 1024;

/** The body of a request, as JSON and as a form, or the reason why it is refused. */
export type Body =
  | { readonly json: unknown; readonly form: URLSearchParams }
  | { readonly status: number; readonly problem: string };

/** Reads a body that is a form or a JSON object. Both are accepted, because existing clients send one or the other. */
export async function readBody({ request }: Exchange): Promise<Body> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_BODY_BYTES) return { status: 413, problem: `the body is larger than ${MAX_BODY_BYTES} bytes` };
  const text = Buffer.concat(chunks).toString();
  const type = /^[^;\s]*/.exec(request.headers['content-type'] ?? '')?.[0].toLowerCase();
  if (type === 'application/x-www-form-urlencoded') {
    const form = new URLSearchParams(text);
    return { json: Object.fromEntries(form), form };
  }
  if (type !== 'application/json') {
    return { status: 415, problem: 'the content type must be application/x-www-form-urlencoded or application/json' };
  }
  return parseJson(text);
}

function parseJson(text: string): Body {
  const problem = 'the body must be a JSON object';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { status: 400, problem };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { status: 400, problem };
  const form = new URLSearchParams();
  // A value that is not a string, such as null, is treated like a missing value.
  for (const [name, value] of Object.entries(json)) if (typeof value === 'string') form.set(name, value);
  return { json, form };
}

export function sendJson(
  { request, response }: Exchange,
  status: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/**
 * Lets scripts of every origin call an endpoint that uses no cookies. Responds to preflight requests, refuses methods
 * other than `method`, and returns true if it responded.
 */
export function corsForAll({ request, response }: Exchange, method: 'GET' | 'POST'): boolean {
  response.setHeader('access-control-allow-origin', '*');
  if (request.method === method || (request.method === 'HEAD' && method === 'GET')) return false;
  if (request.method === 'OPTIONS') {
    response.writeHead(204, {
      'access-control-allow-methods': method,
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '3600',
    });
  } else response.writeHead(405, { allow: `${method}, OPTIONS`, 'content-length': 0 });
  response.end();
  return true;
}
