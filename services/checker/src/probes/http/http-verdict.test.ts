import { expect, test } from 'vitest';
import { type HttpConfig, parseHttpConfig } from './http-config.ts';
import { brokenAssertion, type HttpResponse } from './http-verdict.ts';

const response: HttpResponse = {
  statusCode: 200,
  totalMs: 50,
  hasExpectedKeyword: false,
  hasUnexpectedKeyword: false,
  truncated: false,
  refusedRedirect: undefined,
};

function problemOf(config: Partial<HttpConfig>, seen: Partial<HttpResponse>) {
  return brokenAssertion({ ...parseHttpConfig('{"url":"http://a.example/"}'), ...config }, { ...response, ...seen });
}

test.each([200, 204, 301, 399])('status %i is accepted by default', (statusCode) => {
  expect(problemOf({}, { statusCode })).toBeUndefined();
});

test.each<[Partial<HttpConfig>, Partial<HttpResponse>, string]>([
  [{}, { statusCode: 199 }, 'status 199, expected 200 to 399'],
  [{}, { statusCode: 400 }, 'status 400, expected 200 to 399'],
  [{ expectedStatusCodes: [201, 204] }, {}, 'status 200, expected 201 or 204'],
  [{ expectedStatusCodes: [1, 2, 3, 4, 5, 6] }, {}, 'status 200, expected one of 1, 2, 3, 4, 5, …'],
  [{}, { statusCode: 302, refusedRedirect: 'nowhere' }, 'status 302 redirects to nowhere'],
  [{ expectedKeyword: 'ok' }, {}, 'keyword "ok" is not in the body'],
  [
    { expectedKeyword: 'ok' },
    { truncated: true },
    'keyword "ok" is not in the first part of the body that was searched',
  ],
  [{ expectedKeyword: 'é'.repeat(70) }, {}, `keyword "${'é'.repeat(60)}…" is not in the body`],
  [{ unexpectedKeyword: 'oops' }, { hasUnexpectedKeyword: true }, 'keyword "oops" is in the body'],
  [{ maxResponseTimeMs: 49 }, {}, 'responded after 50 ms, expected at most 49 ms'],
])('with config %j, a response with %j has the error "%s"', (config, seen, words) => {
  expect(problemOf(config, seen)).toBe(words);
});

test.each<[Partial<HttpConfig>, Partial<HttpResponse>]>([
  [{ expectedStatusCodes: [302] }, { statusCode: 302, refusedRedirect: 'nowhere' }],
  [{ expectedKeyword: 'ok' }, { hasExpectedKeyword: true, truncated: true }],
  [{ unexpectedKeyword: 'oops' }, {}],
  [{ maxResponseTimeMs: 50 }, {}],
])('with config %j, a response with %j passes', (config, seen) => {
  expect(problemOf(config, seen)).toBeUndefined();
});
