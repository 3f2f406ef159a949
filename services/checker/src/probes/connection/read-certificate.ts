import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { type Certificate, problemOf } from '../../domain/certificate.ts';

/** Maximum number of certificates that are inspected in a chain. */
const LONGEST_CHAIN = 10;
/** Maximum length of a name. A name in a hostile certificate may have a hundred thousand characters. */
const MAX_NAME = 256;

/** Date of a certificate in place of one that can't be read. */
const UNREADABLE = new Date(0);

/** The parts of a certificate that do not depend on the time and on the rest of its chain. */
interface Contents {
  readonly fingerprint: string;
  readonly issuer: string;
  readonly subject: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly isForHost: boolean;
}

/** Contents by certificate and host. A server's certificate rarely changes, and reading it costs processor time. */
const known = new LRUCache<string, Contents>({ max: 5_000 });

/** Returns the server's certificate, validated for the requested host; undefined if the server presented none. */
export function readCertificate(
  socket: TLSSocket,
  host: string,
  chainError: string | undefined,
): Certificate | undefined {
  const leaf = socket.getPeerX509Certificate();
  if (!leaf) return undefined;
  const { isForHost, ...contents } = contentsOf(leaf, host);
  const notBefore = chainError === 'ERROR_IN_CERT_NOT_BEFORE_FIELD' ? UNREADABLE : contents.notBefore;
  const notAfter = chainError === 'ERROR_IN_CERT_NOT_AFTER_FIELD' ? UNREADABLE : contents.notAfter;
  const problem = problemOf({
    notBefore,
    notAfter,
    names: () => namesOf(leaf),
    host,
    isForHost,
    lastIssuer: () => nameIn(lastOf(leaf).issuer),
    chainError,
    now: new Date(),
  });
  return { ...contents, notBefore, notAfter, valid: problem === '', problem };
}

function contentsOf(leaf: X509Certificate, host: string): Contents {
  const { fingerprint256 } = leaf;
  const key = `${fingerprint256} ${host}`;
  const before = known.get(key);
  if (before) return before;
  const contents = {
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    issuer: nameIn(leaf.issuer),
    subject: attributeIn(leaf.subject, 'CN') ?? namesOf(leaf)[0] ?? '',
    notBefore: readable(leaf.validFromDate),
    notAfter: readable(leaf.validToDate),
    isForHost: isFor(leaf, host),
  };
  known.set(key, contents);
  return contents;
}

/** Returns a date, or UNREADABLE if the certificate has an invalid date or a year that a timestamp can't contain. */
function readable(date: Date): Date {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date : UNREADABLE;
}

function isFor(leaf: X509Certificate, host: string): boolean {
  if (isIP(host)) return leaf.checkIP(host) !== undefined;
  return leaf.checkHost(host.replace(/\.$/, '')) !== undefined;
}

function lastOf(leaf: X509Certificate): X509Certificate {
  let last = leaf;
  for (let length = 1; length < LONGEST_CHAIN && last.issuerCertificate; length += 1) last = last.issuerCertificate;
  return last;
}

/**
 * Returns the names in a string such as `DNS:a.example, DNS:b.example, IP Address:192.0.2.1`. Values with special
 * characters are in quotes.
 */
function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName
    .split(', ')
    .filter((entry) => /^(DNS|IP Address):/.test(entry))
    .map((entry) => cutName(entry.slice(entry.indexOf(':') + 1)));
}

/**
 * Returns the common name in a distinguished name. If it has none, returns the organization or, without an
 * organization, the whole name. The result has at most MAX_NAME characters.
 */
function nameIn(distinguished = ''): string {
  return (
    attributeIn(distinguished, 'CN') ??
    attributeIn(distinguished, 'O') ??
    cutName(distinguished.slice(0, MAX_NAME + 1).replaceAll('\n', ', '))
  );
}

/** Returns an attribute of a distinguished name, which has one attribute per line. */
function attributeIn(distinguished: string | undefined, attribute: 'CN' | 'O'): string | undefined {
  const line = distinguished?.split('\n').find((part) => part.startsWith(`${attribute}=`));
  return cutName(line?.slice(attribute.length + 1) ?? '') || undefined;
}

/** Returns a name truncated to MAX_NAME. */
function cutName(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1)}…`;
}
