import { IncomingMessage } from 'node:http';

/**
 * Headers that the library needs. Other headers are not passed on, so that they can't change the URLs that the library
 * builds.
 */
const PASSED_ON = [
  'accept',
  'access-control-request-headers',
  'access-control-request-method',
  'authorization',
  'cookie',
  'origin',
  'user-agent',
  'x-forwarded-for',
];

/**
 * Returns a request for the OAuth library with a body that was read already. The request has the host and protocol of
 * the public base URL, because the library builds all URLs in responses from them.
 */
export function libraryRequest(
  request: IncomingMessage,
  { baseUrl, path, form }: { baseUrl: string; path: string; form: URLSearchParams | undefined },
): IncomingMessage {
  const { host, protocol, pathname } = new URL(baseUrl);
  const body = form && Buffer.from(form.toString());
  const forwarded = new IncomingMessage(request.socket);
  forwarded.method = request.method ?? 'GET';
  forwarded.url = path;
  forwarded.httpVersion = request.httpVersion;
  forwarded.headers = {
    ...Object.fromEntries(PASSED_ON.map((name) => [name, request.headers[name]]).filter(([, value]) => value)),
    host,
    'x-forwarded-proto': protocol.slice(0, -1),
    ...(body && { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) }),
  };
  // The library reads the path prefix of the installation from `baseUrl`, a property that Express sets.
  Object.assign(forwarded, { baseUrl: pathname.replace(/\/$/, '') });
  if (body) forwarded.push(body);
  forwarded.push(null);
  forwarded.complete = true;
  return forwarded;
}
