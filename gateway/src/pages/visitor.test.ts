import type { IncomingMessage } from 'node:http';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { visitorFinder } from './visitor.ts';

const cases: [string, string[], Record<string, string>][] = [
  [
    'no proxy is trusted',
    [],
    { host: 'status.example.com:8080', 'x-forwarded-host': 'evil.test', 'x-forwarded-for': '192.0.2.7' },
  ],
  [
    'a trusted proxy',
    ['127.0.0.1'],
    { host: 'inside', 'x-forwarded-host': 'status.example.com', 'x-forwarded-for': '192.0.2.7' },
  ],
  [
    'lists of a trusted proxy',
    ['127.0.0.0/8'],
    { host: 'inside', 'x-forwarded-host': 'a.test, b.test:443', 'x-forwarded-for': '192.0.2.7, 127.0.0.9' },
  ],
  ['a trusted proxy without headers', ['127.0.0.1'], { host: 'status.example.com' }],
  [
    'a proxy that is not trusted',
    ['10.0.0.0/8'],
    { host: 'status.example.com', 'x-forwarded-host': 'evil.test', 'x-forwarded-for': '192.0.2.7' },
  ],
  ['an IPv6 host', [], { host: '[::1]:8080' }],
];

test.each(cases)(
  'visitorFinder() determines the same address and host as Fastify: %s',
  async (_, trustedProxies, headers) => {
    await using app = fastify({ trustProxy: trustedProxies.length > 0 ? trustedProxies : false });
    const find = visitorFinder(trustedProxies);
    app.get('/', async (request) => ({
      inRoute: { address: request.ip, host: request.hostname },
      ahead: find(request.raw as IncomingMessage),
    }));
    const { inRoute, ahead } = (await app.inject({ url: '/', headers })).json();
    expect(ahead).toEqual(inRoute);
  },
);
