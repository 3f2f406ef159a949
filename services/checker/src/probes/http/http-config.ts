/** Config of an http monitor, with the API's defaults for absent fields. */
export interface HttpConfig {
  readonly url: string;
  readonly method: string;
  /** Accepted status codes. If empty, codes from 200 to 399 are accepted. */
  readonly expectedStatusCodes: readonly number[];
  readonly followRedirects: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly expectedKeyword: string | undefined;
  readonly unexpectedKeyword: string | undefined;
  readonly maxResponseTimeMs: number | undefined;
  readonly verifyTls: boolean;
}

interface HttpConfigJson {
  url: string;
  method?: string;
  expected_status_codes?: number[];
  follow_redirects?: boolean;
  headers?: Record<string, string>;
  body?: string;
  expected_keyword?: string;
  unexpected_keyword?: string;
  max_response_time_ms?: number;
  verify_tls?: boolean;
}

/** Parses a config that the monitor service has validated. */
export function parseHttpConfig(json: string): HttpConfig {
  const config: HttpConfigJson = JSON.parse(json);
  return {
    url: config.url,
    method: config.method ?? 'GET',
    expectedStatusCodes: config.expected_status_codes ?? [],
    followRedirects: config.follow_redirects ?? true,
    headers: config.headers ?? {},
    body: config.body,
    expectedKeyword: config.expected_keyword || undefined,
    unexpectedKeyword: config.unexpected_keyword || undefined,
    maxResponseTimeMs: config.max_response_time_ms,
    verifyTls: config.verify_tls ?? true,
  };
}
