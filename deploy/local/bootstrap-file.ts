import { join } from 'node:path';
import { isRecord, readJson, writeJson } from '@tocsin/dev-servers/files';

/** Content of `<data folder>/bootstrap.json`: addresses and credentials of the installation. */
export interface Bootstrap {
  readonly base_url: string;
  readonly api_key: string;
  readonly organization: BootstrapOrganization;
  /** `host:port` of each service's RPC server (gRPC, gRPC-Web and Connect). */
  readonly grpc: Readonly<Record<string, string>>;
  /** `host:port` of each process's `/livez`, `/readyz` and `/metrics`. */
  readonly admin: Readonly<Record<string, string>>;
}

export interface BootstrapOrganization {
  /** Public account number of the organization. */
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
}

export function bootstrapFile(dataDir: string): string {
  return join(dataDir, 'bootstrap.json');
}

/** Reads the file that an earlier start wrote. Fields may be missing if that start was interrupted. */
export async function readBootstrap(dataDir: string): Promise<Partial<Bootstrap>> {
  const content = await readJson(bootstrapFile(dataDir));
  const organization = organizationIn(content?.organization);
  return {
    ...(typeof content?.base_url === 'string' && { base_url: content.base_url }),
    ...(typeof content?.api_key === 'string' && { api_key: content.api_key }),
    ...(organization && { organization }),
    ...(isRecord(content?.grpc) && { grpc: addressesIn(content.grpc) }),
    ...(isRecord(content?.admin) && { admin: addressesIn(content.admin) }),
  };
}

export async function writeBootstrap(dataDir: string, content: Partial<Bootstrap>): Promise<void> {
  await writeJson(bootstrapFile(dataDir), content, 0o600);
}

function organizationIn(value: unknown): BootstrapOrganization | undefined {
  if (!isRecord(value)) return undefined;
  const { id, uuid, name } = value;
  if (typeof id !== 'number' || typeof uuid !== 'string' || typeof name !== 'string') return undefined;
  return { id, uuid, name };
}

function addressesIn(value: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
