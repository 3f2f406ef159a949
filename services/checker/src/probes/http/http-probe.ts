import type { TLSSocket } from 'node:tls';
import { LENGTH_HEADERS } from '@tocsin/enums';
import type { Probe } from '../../app/ports.ts';
import { fillSecrets } from '../../domain/fill-secrets.ts';
import { type CheckOutcome, type CheckTrace, runTraced } from '../connection/check-trace.ts';
import { type DialOptions, openConnection } from '../connection/open-connection.ts';
import { type HttpConfig, parseHttpConfig } from './http-config.ts';
import type { HttpRequest } from './http-request.ts';
import type { HttpStream } from './http-stream.ts';
import { brokenAssertion } from './http-verdict.ts';
import { exchangeHttp1 } from './http1-exchange.ts';
import { exchangeHttp2 } from './http2-exchange.ts';
import { KeywordSearch } from './keyword-search.ts';
import { ACCEPTED_ENCODINGS, readBody } from './read-body.ts';
import { redirected } from './redirect.ts';

/** Maximum number of redirects (docs/checks.md). */
const MAX_REDIRECTS = 10;

export interface HttpProbeOptions extends DialOptions {
  readonly userAgent: string;
}

/** Returns the probe for http checks. Each request has a new connection. */
export function httpProbe(options: HttpProbeOptions): Probe {
  const introduction = { 'user-agent': options.userAgent, accept: '*/*', 'accept-encoding': ACCEPTED_ENCODINGS };

  return (configJson, timeoutMs, secrets) => {
    const started = performance.now();
    return runTraced(timeoutMs, async (trace): Promise<CheckOutcome> => {
      const config = fillSecrets(parseHttpConfig(configJson), secrets);
      let request = firstRequest(config, introduction);
      for (let redirects = 0; ; redirects += 1) {
        const response = await exchange(options, request, config.verifyTls, trace);
        const next = config.followRedirects
          ? redirected(request, response.statusCode, response.headers.location)
          : 'none';
        if (next === 'none') return conclude(config, response, undefined, trace, started);
        if ('refused' in next) return conclude(config, response, next.refused, trace, started);
        trace.close();
        if (redirects === MAX_REDIRECTS) return { failure: `more than ${MAX_REDIRECTS} redirects` };
        // Configured headers are sent only to the first origin. The user agent is sent to every origin.
        request = { ...next, headers: { ...introduction, ...next.headers } };
        trace.where = ` (after a redirect to ${request.url.host})`;
      }
    });
  };
}

/** Returns whether the request asks for another protocol, such as WebSocket, which HTTP/2 has no header for. */
function wantsUpgrade({ headers }: HttpRequest): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'upgrade');
}

async function exchange(
  options: DialOptions,
  request: HttpRequest,
  verify: boolean,
  trace: CheckTrace,
): Promise<HttpStream> {
  const { url } = request;
  const isTls = url.protocol === 'https:';
  const to = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (isTls ? 443 : 80)),
    tls: isTls ? { verify, protocols: wantsUpgrade(request) ? ['http/1.1'] : ['http/1.1', 'h2'] } : undefined,
  };
  trace.phases = {};
  trace.statusCode = undefined;
  const socket = await openConnection(options, to, trace);
  const sent = performance.now();
  trace.doing = 'connected, still waiting for the first byte';
  const isHttp2 = isTls && (socket as TLSSocket).alpnProtocol === 'h2';
  const target = trace.target ?? { ...to, address: undefined };
  const response = await (isHttp2 ? exchangeHttp2 : exchangeHttp1)(socket, request, target);
  trace.phases.firstByte = performance.now() - sent;
  trace.statusCode = response.statusCode;
  trace.doing = 'still receiving the body';
  return response;
}

async function conclude(
  config: HttpConfig,
  response: HttpStream,
  refusedRedirect: string | undefined,
  trace: CheckTrace,
  started: number,
): Promise<CheckOutcome> {
  const expected = config.expectedKeyword ? new KeywordSearch(config.expectedKeyword) : undefined;
  const unexpected = config.unexpectedKeyword ? new KeywordSearch(config.unexpectedKeyword) : undefined;
  const look = (piece: Buffer): boolean => {
    expected?.add(piece);
    unexpected?.add(piece);
    // After the expected keyword, the rest is read, because a body that is cut off is a failure.
    return !unexpected?.found;
  };
  const isWhole = await readBody(response, expected || unexpected ? look : undefined);
  const seen = {
    statusCode: response.statusCode,
    totalMs: performance.now() - started,
    hasExpectedKeyword: expected?.found ?? false,
    hasUnexpectedKeyword: unexpected?.found ?? false,
    truncated: !isWhole,
    refusedRedirect,
  };
  const failure = brokenAssertion(config, seen);
  if (failure === undefined) return {};
  const { maxResponseTimeMs, ...others } = config;
  const isOnlySlow = !brokenAssertion({ ...others, maxResponseTimeMs: undefined }, seen);
  return {
    failure: `${failure}${trace.where}`,
    ...(isOnlySlow && maxResponseTimeMs !== undefined && { maxResponseTimeMs }),
  };
}

function firstRequest({ url, method, headers, body }: HttpConfig, introduction: HttpRequest['headers']): HttpRequest {
  return { url: new URL(url), method, headers: { ...introduction, ...own(headers) }, body };
}

/**
 * Returns a config's headers in lower case, without the headers that state the length of the body, because the HTTP
 * client sets them.
 */
function own(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(lowered.filter(([name]) => !LENGTH_HEADERS.includes(name)));
}
