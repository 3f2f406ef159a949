import { invalid } from '@tocsin/errors';
import { hostOf, type PublicAddress } from './public-url.ts';

/**
 * A domain that belongs to the owner of a page. The page is served at the domain after DNS has proved that the owner
 * controls it.
 */
export interface CustomDomain {
  /** Name in lower case, without a final dot. */
  readonly name: string;
  readonly status: 'pending' | 'active' | 'failed';
  /** Time of the next verification of an active domain; undefined for other domains. */
  readonly checkAt: Date | undefined;
  /** Time at which DNS stopped proving an active domain; undefined while DNS proves it. */
  readonly unprovenSince: Date | undefined;
}

/** A DNS record that the owner sets. */
export interface DnsRecord {
  readonly type: 'CNAME' | 'TXT';
  readonly name: string;
  readonly value: string;
  /** Whether this record alone proves that the owner controls the domain. */
  readonly proves: boolean;
}

const MAX_LENGTH = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Second-level labels below a country code that registries use, such as `co` in `co.uk`. No customer can own a domain
 * such as `co.uk`.
 */
const SECOND_LEVELS = new Set(
  'ac co com edu firm gen go gob gouv gov gv id ind info ltd mil ne net nhs nic nom or org plc pro sch web'.split(' '),
);

/**
 * Returns the domain in canonical form.
 * @throws ServiceError `invalid` if a page can't use the domain.
 */
export function checkDomain(text: string, address: PublicAddress): string {
  const name = text.toLowerCase().replace(/\.$/, '');
  const problem = problemOf(name, address);
  if (problem) throw invalid({ domain: [problem] });
  return name;
}

function problemOf(name: string, { baseUrl, statusDomain }: PublicAddress): string | undefined {
  if (name === '') return 'is required';
  if (!isHostName(name)) return 'must be a host name such as status.example.com';
  if (isApex(name.split('.')))
    return 'must be below a domain of yours, such as status.example.com: an apex can have no CNAME';
  const ours = [new URL(baseUrl).hostname, statusDomain?.toLowerCase()];
  const taken = ours.find((own) => own !== undefined && (name === own || name.endsWith(`.${own}`)));
  return taken && `must be a domain of yours, not one of ${taken}`;
}

/** Returns whether a string is a host name (RFC 1123 §2.1) in lower case. An IP address is not a host name. */
export function isHostName(text: string): boolean {
  const labels = text.split('.');
  const isNumber = /^\d+$/.test(labels.at(-1) ?? '');
  return text.length <= MAX_LENGTH && !isNumber && labels.every((label) => LABEL.test(label));
}

function isApex(labels: readonly string[]): boolean {
  const [second, top] = labels.slice(-2);
  const isPublic = top?.length === 2 && second !== undefined && SECOND_LEVELS.has(second);
  return labels.length <= (isPublic ? 3 : 2);
}

/**
 * Returns the records that the owner must set. The CNAME leads visitors to the page. It proves that the owner controls
 * the domain only if each page has a separate host, because a CNAME to a shared host does not identify the page.
 */
export function recordsOf(
  page: { slug: string; domainToken: string },
  domain: string,
  address: PublicAddress,
): DnsRecord[] {
  const { host, isOwn } = hostOf(page.slug, address);
  return [
    { type: 'CNAME', name: domain, value: host, proves: isOwn },
    { type: 'TXT', name: `_tocsin-verify.${domain}`, value: page.domainToken, proves: true },
  ];
}

/** Returns whether the values found in DNS contain the expected value of a record. */
export function says(record: DnsRecord, records: readonly string[]): boolean {
  if (record.type === 'TXT') return records.includes(record.value);
  return records.some((response) => response.toLowerCase().replace(/\.$/, '') === record.value.toLowerCase());
}
