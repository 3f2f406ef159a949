import type { IncomingHttpHeaders } from 'node:http';
import { matchesEtag } from '../plugins/etag.ts';
import { preferredEncoding } from '../plugins/preferred-encoding.ts';
import { PAGE_ENCODINGS, type PageEncoding, type ReadyResponse, type Rendering } from './rendering.ts';

/** Returns the response to a request with these headers: the page in the preferred encoding, or a 304. */
export function pageResponse(request: IncomingHttpHeaders, { etag, notModified, responses }: Rendering): ReadyResponse {
  if (matchesEtag(request['if-none-match'], etag)) return notModified;
  return responses[encodingFor(request['accept-encoding'])];
}

/**
 * Preferred encodings, by the value of the Accept-Encoding header. Browsers send few different values, and parsing a
 * value costs more than all other work for a response.
 */
const known = new Map<string, PageEncoding>();
const MAX_KNOWN = 200;
const MAX_KNOWN_LENGTH = 100;

function encodingFor(header: string | string[] | undefined): PageEncoding {
  if (typeof header !== 'string') return 'identity';
  const stored = known.get(header);
  if (stored) return stored;
  const encoding = preferredEncoding(header, PAGE_ENCODINGS) ?? 'identity';
  if (known.size < MAX_KNOWN && header.length <= MAX_KNOWN_LENGTH) known.set(header, encoding);
  return encoding;
}
