import type { DnsRecordType } from '@tocsin/enums';

/** Config of a dns monitor, with the API's defaults for absent fields. */
export interface DnsConfig {
  readonly host: string;
  readonly recordType: DnsRecordType;
  /** IP address of the name server, with an optional port; undefined for the checker's own name servers. */
  readonly nameserver: string | undefined;
  readonly expectedRecords: readonly string[];
}

interface DnsConfigJson {
  host: string;
  record_type?: DnsRecordType;
  nameserver?: string;
  expected_records?: string[];
}

/** Parses a config that the monitor service has validated. */
export function parseDnsConfig(json: string): DnsConfig {
  const config: DnsConfigJson = JSON.parse(json);
  return {
    host: config.host,
    recordType: config.record_type ?? 'A',
    nameserver: config.nameserver,
    expectedRecords: config.expected_records ?? [],
  };
}
