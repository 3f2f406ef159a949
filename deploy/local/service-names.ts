/** Services with an RPC server. They can start in any order. */
export const serviceNames = ['identity', 'monitor', 'checker', 'disruption', 'statuspage', 'notifier'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Every process of an installation. */
export const processNames = [...serviceNames, 'gateway'] as const;
export type ProcessName = (typeof processNames)[number];

/** A process to start. There is one process of each kind, and an additional checker for each additional region. */
export interface Plan {
  /** Name of the process, such as `monitor` or `checker-local-b`. */
  readonly name: string;
  readonly process: ProcessName;
  /** Region of a checker. */
  readonly region?: string;
}

/** Default regions. There are two, so that a local installation also compares the votes of several regions. */
const DEFAULT_REGIONS = 'local-a,local-b';

/** Returns the region labels of TOCSIN_REGIONS. */
export function regionsOf(env: NodeJS.ProcessEnv): string[] {
  return (env.TOCSIN_REGIONS || DEFAULT_REGIONS).split(',').map((label) => label.trim());
}

export function plansFor(regions: readonly string[]): Plan[] {
  const [first = '', ...others] = regions;
  return [
    ...processNames.map((name) => ({ name, process: name, ...(name === 'checker' && { region: first }) })),
    ...others.map((region) => ({ name: `checker-${region}`, process: 'checker' as const, region })),
  ];
}

/** Processes with a database schema: all except the checker. */
export const storedNames = ['identity', 'monitor', 'disruption', 'statuspage', 'notifier', 'gateway'] as const;
export type StoredName = (typeof storedNames)[number];

/** Users of NATS: all processes and the operator. */
export const natsUserNames = [...processNames, 'operator'] as const;
export type NatsUserName = (typeof natsUserNames)[number];

/** Callers of services: all processes and the admin command. */
export const callerNames = [...processNames, 'admin'] as const;
export type CallerName = (typeof callerNames)[number];
