import { toSecondsOrNull } from '@tocsin/api-json';
import { domainStatuses } from '@tocsin/enums';
import { type CustomDomain, DnsRecordType } from '@tocsin/proto/statuspage/v1/custom_domain';

import { type Static, Type } from 'typebox';
import { nullable, oneOf, Timestamp } from './common.ts';

const HostName = Type.String({ maxLength: 254, examples: ['status.example.com'] });

export const CustomDomainInput = Type.Object({ domain: HostName });

export const CustomDomainSchema = Type.Object({
  domain: HostName,
  domain_status: oneOf(domainStatuses.names),
  unproven_since: nullable({
    ...Timestamp,
    description: 'Since when DNS no longer proves an active domain; two weeks later it fails',
  }),
  records: Type.Array(
    Type.Object({
      type: oneOf(['CNAME', 'TXT']),
      name: Type.String({ maxLength: 512 }),
      value: Type.String({ maxLength: 512 }),
      proves: Type.Boolean({ description: 'Whether this record alone proves that the domain is yours' }),
    }),
    { maxItems: 10, description: 'What to set in DNS' },
  ),
});

export function toCustomDomainJson({
  domain,
  status,
  unprovenSince,
  records,
}: CustomDomain): Static<typeof CustomDomainSchema> {
  return {
    domain,
    domain_status: domainStatuses.toName(status),
    unproven_since: toSecondsOrNull(unprovenSince),
    records: records.map(({ type, name, value, proves }) => ({
      type: type === DnsRecordType.CNAME ? 'CNAME' : 'TXT',
      name,
      value,
      proves,
    })),
  };
}
