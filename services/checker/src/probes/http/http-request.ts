/** An HTTP request that a check sends. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Methods whose requests have a content-length header even without a body (RFC 9110 §8.6). */
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH'];

/** Returns the content-length header, if the request has one. */
export function lengthOf({ method, body }: HttpRequest): { 'content-length'?: string } {
  if (body !== undefined) return { 'content-length': String(Buffer.byteLength(body)) };
  return METHODS_WITH_BODY.includes(method) ? { 'content-length': '0' } : {};
}
