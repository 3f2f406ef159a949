import type { DnsRecordType } from '@tocsin/enums';
import type { Answer } from 'dns-packet';
import type { DnsRecord } from './dns-verdict.ts';

/**
 * Returns the records of one type in a response, in zone-file format. Records of other types are left out, such as the
 * CNAME records that lead to the returned records.
 */
export function recordsOf(type: DnsRecordType, answers: readonly Answer[]): DnsRecord[] {
  return answers.filter((answer): answer is KnownAnswer => answer.type === type).map(spell);
}

/**
 * DNS answers of the record types that monitors can query. The compiler reports a type that spell() does not handle.
 */
type KnownAnswer = Answer & { type: DnsRecordType };

function spell(answer: KnownAnswer): DnsRecord {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return { text: answer.data };
    case 'MX':
      return { text: `${answer.data.preference ?? 0} ${answer.data.exchange}`, short: answer.data.exchange };
    case 'TXT': {
      // DNS splits long strings into pieces of 255 bytes (RFC 7208 §3.3).
      const pieces = Array.isArray(answer.data) ? answer.data : [answer.data];
      return { text: pieces.map(String).join('') };
    }
    case 'SRV': {
      const { priority = 0, weight = 0, port, target } = answer.data;
      return { text: `${priority} ${weight} ${port} ${target}`, short: target };
    }
    case 'SOA': {
      const { mname, rname, serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0 } = answer.data;
      return { text: `${mname} ${rname} ${serial} ${refresh} ${retry} ${expire} ${minimum}`, short: mname };
    }
    case 'CAA': {
      const { flags = 0, tag, value } = answer.data;
      return { text: `${flags} ${tag} "${value}"`, short: value };
    }
  }
}
