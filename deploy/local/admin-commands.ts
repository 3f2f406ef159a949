import { join } from 'node:path';
import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Problem } from '@tocsin/dev-servers/problem';
import { ALL_PERMISSIONS, LIMIT_NAMES, MAX_LIMIT } from '@tocsin/enums';
import type { Member, ServiceCredential } from '@tocsin/proto/identity/v1/identity';
import { forOrganization } from '@tocsin/runtime';
import { type AdminAccess, createAdminClient, createMonitorAdmin } from './admin-client.ts';
import { readBootstrap } from './bootstrap-file.ts';
import { issueCertificate } from './certificates.ts';
import { dataFolderOf } from './data-folder.ts';
import { kubernetesSecret } from './kubernetes-secret.ts';
import { describeReplay } from './replay-table.ts';
import { vaultStatusOf } from './vault-status.ts';

/** Services that accept organization tokens. */
const calledServices = ['identity', 'monitor', 'disruption', 'statuspage', 'notifier'];

/** A command of the operator. */
export interface Command {
  /** Usage line of the command, without the name of the program. */
  readonly usage: string;
  readonly help: string;
  readonly options: readonly string[];
  /** Options that may be omitted. The value of an omitted option is empty. */
  readonly optional?: readonly string[];
  /** If true, the command calls no service, and its `access` is empty. */
  readonly needsNoServer?: boolean;
  /**
   * Runs the command and returns its output. An object is printed as JSON on one line; the texts in a sequence are
   * printed as they arrive.
   */
  readonly run: (
    option: (name: string) => string,
    access: AdminAccess,
  ) => Promise<object | string | AsyncIterable<string>>;
}

/** The commands by their names. */
export const commands: Readonly<Record<string, Command>> = {
  'org create': {
    usage: 'org create --name NAME --owner-email EMAIL',
    help: 'Creates an organization and its owner.',
    options: ['name', 'owner-email'],
    async run(option, access) {
      const request = { name: option('name'), ownerEmail: option('owner-email') };
      const { organization, ownerId } = await createAdminClient(access).createOrganization(request);
      return {
        organization: {
          id: Number(organization?.accountNumber),
          uuid: organization?.id,
          name: organization?.name,
        },
        owner: { id: ownerId, email: request.ownerEmail },
      };
    },
  },
  'org export': {
    usage: 'org export --org UUID',
    help: 'Prints everything that is stored for an organization, without secrets and single check results: a line of JSON for each row, with\nthe service and the table.',
    options: ['org'],
    async run(option, access) {
      return exportOf(createAdminClient(access), option('org'));
    },
  },
  'org delete': {
    usage: 'org delete --org UUID',
    help: 'Stops an organization at once and deletes it after 14 days. The owners get a mail, and can cancel it until then.',
    options: ['org'],
    async run(option, access) {
      const { deleteAt } = await createAdminClient(access).deleteOrganization({ organizationId: option('org') });
      return { organization_id: option('org'), delete_at: deleteAt && timestampDate(deleteAt).toISOString() };
    },
  },
  'org cancel-deletion': {
    usage: 'org cancel-deletion --org UUID',
    help: 'Cancels the deletion of an organization, which works again from then on.',
    options: ['org'],
    async run(option, access) {
      await createAdminClient(access).cancelDeletion({ organizationId: option('org') });
      return { organization_id: option('org'), delete_at: null };
    },
  },
  'key create': {
    usage: 'key create --org UUID --name NAME --permissions LIST',
    help: `Creates an API key and prints it, once. LIST is separated by commas:\n  ${ALL_PERMISSIONS.join(',')}\nor the same with ":read".`,
    options: ['org', 'name', 'permissions'],
    async run(option, access) {
      const { id, key, permissions } = await createAdminClient(access).createApiKey({
        organizationId: option('org'),
        name: option('name'),
        permissions: option('permissions').split(',').filter(Boolean),
      });
      return { id, key, name: option('name'), organization_id: option('org'), permissions };
    },
  },
  'limits show': {
    usage: 'limits show --org UUID',
    help: 'Prints the limits of an organization, and which of them were set for it.',
    options: ['org'],
    async run(option, access) {
      return limitsShown(option('org'), await createAdminClient(access).getLimits({ organizationId: option('org') }));
    },
  },
  'limits set': {
    usage: 'limits set --org UUID --name NAME --value NUMBER',
    help: `Sets a limit of an organization; the value "default" returns it to the installation's default. It counts within half a
minute. A rate of 0 is no limit. NAME is one of:\n  ${LIMIT_NAMES.join(', ')}`,
    options: ['org', 'name', 'value'],
    async run(option, access) {
      const value = limitFrom(option('value'));
      const request = { organizationId: option('org'), name: option('name'), ...(value !== undefined && { value }) };
      return limitsShown(option('org'), await createAdminClient(access).setLimit(request));
    },
  },
  'signing-key rotate': {
    usage: 'signing-key rotate',
    help: 'Creates a new key for the internal tokens between services. It signs in a minute; the keys before it are deleted ten minutes\nlater. Nothing has to be restarted. Without this command a new key is created every 30 days.',
    options: [],
    async run(_option, access) {
      const { id, signsFrom } = await createAdminClient(access).rotateSigningKey({});
      return { id, signs_from: signsFrom && timestampDate(signsFrom).toISOString() };
    },
  },
  'sign-in-link': {
    usage: 'sign-in-link --email EMAIL',
    help: 'Creates a link with which a user signs in once, within 15 minutes.',
    options: ['email'],
    async run(option, access) {
      const { url, expiresAt } = await createAdminClient(access).createSignInLink({ email: option('email') });
      return { url, expires_at: expiresAt && timestampDate(expiresAt).toISOString() };
    },
  },
  'member list': {
    usage: 'member list --org UUID',
    help: 'Prints the members of an organization.',
    options: ['org'],
    async run(option, access) {
      const { members } = await createAdminClient(access).listMembers({ organizationId: option('org') });
      return { organization_id: option('org'), members: members.map(memberShown) };
    },
  },
  'member add': {
    usage: 'member add --org UUID --email EMAIL --role ROLE',
    help: 'Adds a member without an invitation, or changes the role of a member. ROLE is owner, admin or member.',
    options: ['org', 'email', 'role'],
    async run(option, access) {
      const request = { organizationId: option('org'), email: option('email'), role: option('role') };
      const { member } = await createAdminClient(access).addMember(request);
      return { organization_id: option('org'), ...(member && memberShown(member)) };
    },
  },
  'member remove': {
    usage: 'member remove --org UUID --email EMAIL',
    help: 'Removes a member, who loses access at once. API keys that the member created keep working.',
    options: ['org', 'email'],
    async run(option, access) {
      await createAdminClient(access).removeMember({ organizationId: option('org'), email: option('email') });
      return { organization_id: option('org'), email: option('email'), removed: true };
    },
  },
  'second-factor remove': {
    usage: 'second-factor remove --email EMAIL',
    help: 'Removes the second factor of a user who lost the phone and the recovery codes. The user gets a mail about it.',
    options: ['email'],
    async run(option, access) {
      await createAdminClient(access).removeSecondFactor({ email: option('email') });
      return { email: option('email'), second_factor: false };
    },
  },
  'token create': {
    usage: 'token create --org UUID --service NAME [--permissions LIST]',
    help: `Prints a token for direct gRPC calls to one service (${calledServices.join(', ')}), good for five minutes:\n'authorization: Bearer TOKEN'. LIST is as for "key create"; without it the token has every permission in the organization.`,
    options: ['org', 'service'],
    optional: ['permissions'],
    async run(option, access) {
      const { token, permissions } = await createAdminClient(access).createToken({
        organizationId: option('org'),
        audience: option('service'),
        permissions: option('permissions') ? option('permissions').split(',').filter(Boolean) : [...ALL_PERMISSIONS],
      });
      return { token, service: option('service'), organization_id: option('org'), permissions };
    },
  },
  'service-credential create': {
    usage:
      'service-credential create --name NAME --services LIST --permissions LIST [--org UUID] [--expires TIME] [--token-seconds NUMBER]',
    help: `Creates a credential for a program that calls services directly, and prints its secret, once (docs/grpc.md). Services are
${calledServices.join(', ')}, separated by commas; permissions are as for "key create". Without --org the credential may
act in every organization. Its tokens live for 300 seconds, or for --token-seconds (10 to 300). TIME is like 2026-11-20T10:00:00Z.`,
    options: ['name', 'services', 'permissions'],
    optional: ['org', 'expires', 'token-seconds'],
    async run(option, access) {
      const { credential, secret } = await createAdminClient(access).createServiceCredential({
        organizationId: option('org'),
        name: option('name'),
        audiences: option('services').split(',').filter(Boolean),
        permissions: option('permissions').split(',').filter(Boolean),
        ...(option('expires') && { expiresAt: timestampFromDate(timeOf('expires', option('expires'))) }),
        ...(option('token-seconds') && { tokenSeconds: tokenSecondsOf(option('token-seconds')) }),
      });
      return { ...(credential && serviceCredentialShown(credential)), secret };
    },
  },
  'service-credential list': {
    usage: 'service-credential list [--org UUID]',
    help: 'Prints the service credentials of an organization that were not revoked; without --org those that are bound to none.',
    options: [],
    optional: ['org'],
    async run(option, access) {
      const { credentials } = await createAdminClient(access).listServiceCredentials({ organizationId: option('org') });
      return { service_credentials: credentials.map(serviceCredentialShown) };
    },
  },
  'service-credential revoke': {
    usage: 'service-credential revoke --id UUID',
    help: 'Revokes a service credential. It gets no new tokens from then on; those that it has end within five minutes.',
    options: ['id'],
    async run(option, access) {
      await createAdminClient(access).revokeServiceCredential({ id: option('id') });
      return { id: option('id'), revoked: true };
    },
  },
  'kubernetes-secret create': {
    usage: 'kubernetes-secret create --name NAME --database-url URL --nats-host HOST:PORT',
    help: 'Generates the secrets of a new installation on Kubernetes, and prints them as a Secret for the Helm charts (existingSecret: NAME).\nEach call prints other secrets, so keep a copy of those that you use: without them the data is lost.',
    options: ['name', 'database-url', 'nats-host'],
    needsNoServer: true,
    async run(option) {
      return kubernetesSecret({
        name: option('name'),
        databaseUrl: option('database-url'),
        natsHost: option('nats-host'),
      });
    },
  },
  'certificates issue': {
    usage: 'certificates issue --dir FOLDER --name NAME [--hosts HOST,HOST] [--days N]',
    help: 'Issues a certificate for TLS between services, and writes tls.crt, tls.key and ca.crt into FOLDER/NAME, which TOCSIN_TLS_DIR of the program\nnames. It is valid for NAME, localhost, 127.0.0.1, ::1 and the HOSTs, for 90 days or N. The first call creates the authority in FOLDER: keep its\nca.key secret. Call it again to renew a certificate; a running program uses the new one within some seconds.',
    options: ['dir', 'name'],
    optional: ['hosts', 'days'],
    needsNoServer: true,
    async run(option) {
      const name = option('name');
      const further = option('hosts') ? option('hosts').split(',') : [];
      const { folder, hosts, expiresAt } = await issueCertificate({
        folder: option('dir'),
        name,
        hosts: [...new Set([name, 'localhost', '127.0.0.1', '::1', ...further])],
        days: option('days') ? Number(option('days')) : 90,
        now: new Date(),
      });
      return { folder, hosts, expires_at: expiresAt.toISOString() };
    },
  },
  'vault status': {
    usage: 'vault status',
    help: 'Prints how many secrets each key of TOCSIN_VAULT_KEYS wraps, by process and table; "*" marks the key that seals. After a new key was\nput in front, everything is wrapped again in the background. When "done" is true, the other keys can be removed.',
    options: [],
    async run() {
      const { admin } = await readBootstrap(dataFolderOf(process.env, join(import.meta.dirname, '..', '..')));
      if (!admin) {
        throw new Problem(
          'This command reads the metrics of an installation that npm start runs. Elsewhere, read the metric tocsin_vault_sealed of identity, monitor, notifier and gateway: no series with primary="false" may be above 0.',
        );
      }
      const metrics = await Promise.all(
        Object.entries(admin).map(async ([name, address]) => {
          const response = await fetch(`http://${address}/metrics`);
          return [name, await response.text()] as const;
        }),
      );
      return vaultStatusOf(Object.fromEntries(metrics));
    },
  },
  'monitor replay': {
    usage: 'monitor replay --org UUID --monitor UUID [--since TIME]',
    help: "Feeds a monitor's history through today's rules and prints where they would have decided otherwise. TIME is like 2026-11-20T10:00:00Z; without\nit all of the history that is kept.",
    options: ['org', 'monitor'],
    optional: ['since'],
    async run(option, access) {
      const since = option('since') ? { since: timestampFromDate(timeOf('since', option('since'))) } : {};
      const request = { monitorId: option('monitor'), ...since };
      return describeReplay(await createMonitorAdmin(access).replayMonitor(request, forOrganization(option('org'))));
    },
  },
};

/** Returns the pages of an export. */
async function* exportOf(client: ReturnType<typeof createAdminClient>, organizationId: string): AsyncIterable<string> {
  let cursor = '';
  do {
    const { lines, nextCursor } = await client.exportOrganization({ organizationId, cursor });
    yield lines;
    cursor = nextCursor;
  } while (cursor !== '');
}

function memberShown({ userId, email, role, since }: Member) {
  return { user_id: userId, email, role, since: since && timestampDate(since).toISOString() };
}

function serviceCredentialShown(credential: ServiceCredential) {
  const shown = (time: Timestamp | undefined) => (time ? timestampDate(time).toISOString() : null);
  return {
    id: credential.id,
    name: credential.name,
    organization_id: credential.organizationId || null,
    services: credential.audiences,
    permissions: credential.permissions,
    token_seconds: credential.tokenSeconds,
    expires_at: shown(credential.expiresAt),
    last_used_at: shown(credential.lastUsedAt),
    created_at: shown(credential.createdAt),
    created_by: credential.createdBy,
  };
}

function tokenSecondsOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Problem(`--token-seconds is ${JSON.stringify(text)}: it should be a whole number from 10 to 300.`);
}

function limitsShown(
  organizationId: string,
  { limits, set }: { limits: Readonly<Record<string, bigint>>; set: readonly string[] },
) {
  const values = Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, Number(value)]));
  return { organization_id: organizationId, limits: values, set };
}

function limitFrom(text: string): bigint | undefined {
  if (text === 'default') return undefined;
  if (/^\d{1,13}$/.test(text)) return BigInt(text);
  throw new Problem(
    `--value is ${JSON.stringify(text)}: it should be a whole number from 0 to ${MAX_LIMIT}, or "default".`,
  );
}

function timeOf(option: string, text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new Problem(`--${option} is ${JSON.stringify(text)}: it should be a time like 2026-11-20T10:00:00Z.`);
}
