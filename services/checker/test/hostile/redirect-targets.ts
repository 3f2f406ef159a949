import { freePort } from '@tocsin/testing';
import { answering, type Fixture, type HostileTarget, type Started } from './target.ts';

const ADVICE = 'the operator of this server can open ranges with TOCSIN_ALLOW_PRIVATE_TARGETS';
const BLOCKED = `is not a public address; ${ADVICE}`;
const UNRESOLVED = `does not resolve to a public address; ${ADVICE}`;

function redirectingTo(location: string, config: object = {}) {
  return answering(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`, 'close', config);
}

function inside(location: string, address: string, host = address): HostileTarget {
  const what = host === address ? `${address} ${BLOCKED}` : `${host} ${UNRESOLVED}`;
  return {
    what: `redirects to ${location}`,
    start: redirectingTo(location),
    outcome: 'error',
    error: `${what} (after a redirect to ${new URL(location).host})`,
  };
}

function elsewhere(location: string, what = 'what is not an http or https URL'): HostileTarget {
  return {
    what: `redirects to ${location}`,
    start: redirectingTo(location),
    outcome: 'fail',
    error: `status 302 redirects to ${what}`,
  };
}

function direct(url: string, error: string): HostileTarget {
  const start = async (): Promise<Started> => ({ type: 'http', config: { url }, port: 0 });
  return { what: `is ${url}`, start, outcome: 'error', error };
}

/** Redirects to addresses that checks must not reach. Here, 127.0.0.0/8 is the only allowed private range. */
export const INSIDE: readonly HostileTarget[] = [
  inside('http://169.254.169.254/latest/meta-data/', '169.254.169.254'),
  inside('http://[::ffff:169.254.169.254]/', '::ffff:a9fe:a9fe'),
  inside('http://[64:ff9b::a9fe:a9fe]/', '64:ff9b::a9fe:a9fe'),
  inside('http://[::1]:8080/', '::1'),
  inside('http://0x0a000001/', '10.0.0.1'),
  inside('http://0.0.0.0:22/', '0.0.0.0'),
  inside('http://loopback.example/', '::ffff:192.168.0.1', 'loopback.example'),
  direct('http://metadata.example/', `metadata.example ${UNRESOLVED}`),
  direct('http://100.100.100.200/', `100.100.100.200 ${BLOCKED}`),
  elsewhere('file:///etc/passwd'),
  elsewhere('gopher://127.0.0.1:6379/_FLUSHALL'),
  elsewhere('javascript:alert(1)'),
  elsewhere('http://[not-an-address', 'what is not a valid URL'),
  {
    what: 'redirects to itself',
    start: redirectingTo('/again'),
    outcome: 'fail',
    error: 'more than 10 redirects',
  },
  {
    what: 'redirects to a closed port',
    start: async (fixture: Fixture) => redirectingTo(`http://127.0.0.1:${await closedPort()}/`)(fixture),
    outcome: 'error',
    error: 'connection refused by 127.0.0.1:{closed} (after a redirect to 127.0.0.1:{closed})',
  },
];

let closed: Promise<number> | undefined;

/** Returns a port without a listener; every call returns the same port. */
export function closedPort(): Promise<number> {
  closed ??= freePort();
  return closed;
}
