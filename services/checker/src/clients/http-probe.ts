import { BlockedAddressError, type Netguard } from '@tocsin/netguard';
import type { Probe } from '../app/ports.ts';
import { wordsFor } from '../domain/error-words.ts';
import { fillSecrets } from '../domain/fill-secrets.ts';
import { type HttpConfig, parseHttpConfig } from '../domain/http-config.ts';
import { brokenAssertion } from '../domain/judge-http.ts';
import { KeywordSearch } from '../domain/keyword-search.ts';
import type { Observation } from '../domain/observation.ts';
import { type Hop, type HttpRequest, startHop } from './http-hop.ts';

/** As many redirects as a browser's patience, by the contract. */
const MAX_REDIRECTS = 10;

/** How much of a body is read; what is searched for must stand before. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Checks an http or https target with a new connection per request. */
export function httpProbe(guard: Netguard): Probe {
  return async (configJson, timeoutMs, secrets) => {
    const config = fillSecrets(parseHttpConfig(configJson), secrets);
    const started = performance.now();
    const deadline = AbortSignal.timeout(timeoutMs);
    let hop: Hop | undefined;
    try {
      let request = firstRequest(config);
      for (let redirects = 0; ; redirects += 1) {
        hop = startHop(guard, request, config.verifyTls, deadline);
        const answer = await hop.answer;
        const next = config.followRedirects ? redirected(request, answer.statusCode, answer.location) : undefined;
        if (!next) return await conclude(config, hop, started);
        hop.close();
        if (redirects === MAX_REDIRECTS) {
          return {
            outcome: 'fail',
            error: `more than ${MAX_REDIRECTS} redirects`,
            statusCode: answer.statusCode,
            phases: hop.phases,
          };
        }
        request = next;
      }
    } catch (error) {
      const seen = { ...hop?.phases, total: performance.now() - started };
      if (deadline.aborted)
        return { outcome: 'timeout', error: `no answer within ${timeoutMs} ms, ${waitingFor(hop)}`, phases: seen };
      if (error instanceof BlockedAddressError) return { outcome: 'error', error: error.message, phases: seen };
      const words = hop ? wordsFor(error, hop.target) : String(error);
      return { outcome: 'error', error: words, phases: seen };
    } finally {
      hop?.close();
    }
  };
}

function firstRequest({ url, method, headers, body }: HttpConfig): HttpRequest {
  return { url: new URL(url), method, headers, body };
}

/** The request that a redirect asks for (RFC 9110 §15.4); undefined when the answer is no redirect that can be followed. */
function redirected(request: HttpRequest, statusCode: number, location: string | undefined): HttpRequest | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || !location || !URL.canParse(location, request.url.href))
    return undefined;
  const url = new URL(location, request.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  const becomesGet = statusCode === 303 ? request.method !== 'HEAD' : statusCode < 303 && request.method === 'POST';
  // What was meant for one origin is not told to another.
  const headers = url.origin === request.url.origin ? request.headers : {};
  return becomesGet ? { url, method: 'GET', headers, body: undefined } : { ...request, url, headers };
}

async function conclude(config: HttpConfig, hop: Hop, started: number): Promise<Observation> {
  const expected = config.expectedKeyword ? new KeywordSearch(config.expectedKeyword) : undefined;
  const unexpected = config.unexpectedKeyword ? new KeywordSearch(config.unexpectedKeyword) : undefined;
  const { statusCode } = await hop.answer;
  let bytes = 0;
  for await (const piece of hop.body()) {
    bytes += piece.length;
    expected?.add(piece);
    unexpected?.add(piece);
    if (bytes >= MAX_BODY_BYTES || (expected?.found && !unexpected)) break;
  }
  const totalMs = performance.now() - started;
  const error = brokenAssertion(config, {
    statusCode,
    totalMs,
    hasExpectedKeyword: expected?.found ?? false,
    hasUnexpectedKeyword: unexpected?.found ?? false,
    truncated: bytes >= MAX_BODY_BYTES,
  });
  const phases = { ...hop.phases, total: totalMs };
  return { outcome: error ? 'fail' : 'pass', error: error ?? '', statusCode, phases };
}

function waitingFor(hop: Hop | undefined): string {
  if (!hop || hop.phases.dns === undefined) return 'still resolving the name';
  if (hop.phases.connect === undefined) return 'still connecting';
  if (hop.phases.tls === undefined && hop.isTls) return 'still in the TLS handshake';
  if (hop.phases.firstByte === undefined) return 'connected, still waiting for the first byte';
  return 'still receiving the body';
}
