import type { DnsRecordType } from '@tocsin/enums';
import { CheckFailure } from '../../domain/check-failure.ts';
import { canonicalIpv6 } from './dns-name.ts';

/** The response of a name server. */
export interface DnsResponse {
  /** Response code; 0 means no error (RFC 1035 §4.1.1). */
  readonly responseCode: number;
  /** Records of the requested type. */
  readonly records: readonly DnsRecord[];
}

/** A record in zone-file format, such as `10 mail.example.com`, and its common short form: `mail.example.com`. */
export interface DnsRecord {
  readonly text: string;
  readonly short?: string | undefined;
  /** Whether the record reveals details of a private network. Such a record is neither shown nor compared. */
  readonly isHidden?: boolean;
}

export interface DnsQuestion {
  readonly name: string;
  readonly recordType: DnsRecordType;
  readonly expectedRecords: readonly string[];
}

const CODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];

const SHOWN_RECORDS = 5;
const SHOWN_LENGTH = 100;

/**
 * Returns the reason why a response fails the check: the name does not exist, it has no record of the requested type,
 * or expected records are missing. Returns undefined if the check passes.
 * @throws CheckFailure with outcome `error` if the server could not resolve the name, or refused the query.
 */
export function dnsProblem(
  { name, recordType, expectedRecords }: DnsQuestion,
  answer: DnsResponse,
): string | undefined {
  const { responseCode, records } = answer;
  const code = CODES[responseCode] ?? `code ${responseCode}`;
  if (code === 'NXDOMAIN') return `${name} does not exist (NXDOMAIN)`;
  if (code !== 'NOERROR') throw new CheckFailure('error', `the name server answered ${code} for ${name}`);
  if (records.length === 0) return `${name} has no ${recordType} record`;
  const open = records.filter(({ isHidden }) => !isHidden);
  const found = new Set(open.flatMap(({ text, short }) => [comparable(text), comparable(short ?? text)]));
  const missing = expectedRecords.filter((record) => !found.has(comparable(record)));
  if (missing.length === 0) return undefined;
  return `${recordType} of ${name}: expected ${listed(missing)}, found ${listed(records.map(shownText))}`;
}

function shownText({ text, isHidden }: DnsRecord): string {
  return isHidden ? 'a private record' : text;
}

/**
 * Normalizes a record for comparison: case, quotes, the division of a text into several strings, trailing dot and the
 * form of IPv6 addresses.
 */
function comparable(record: string): string {
  const plain = record.trim().toLowerCase().replaceAll(/"\s+"/g, '').replaceAll('"', '').replace(/\.$/, '');
  return plain.includes(':') ? canonicalIpv6(plain) : plain;
}

function listed(records: readonly string[]): string {
  const shown = records.slice(0, SHOWN_RECORDS).map(shorten);
  const more = records.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function shorten(text: string): string {
  const printable = text.replaceAll(/\p{Cc}/gu, '?');
  return printable.length > SHOWN_LENGTH ? `${printable.slice(0, SHOWN_LENGTH)}…` : printable;
}
