/** The services with RPCs, in no particular order: each may start first. */
export const serviceNames = ['identity', 'monitor', 'checker', 'disruption', 'statuspage', 'notifier'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Every process of an installation. */
export const processNames = [...serviceNames, 'gateway'] as const;
export type ProcessName = (typeof processNames)[number];

/** One running program: of each process one, and a checker more for every region but the first. */
export interface Plan {
  /** `monitor`, `checker-local-b`. */
  readonly name: string;
  readonly process: ProcessName;
  /** Which region a checker checks from. */
  readonly region?: string;
}

/** Two, so that regions vote from the first minute on. */
const DEFAULT_REGIONS = 'local-a,local-b';

/** The region labels that TOCSIN_REGIONS lists. */
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

/** Services with their own database schema: all but the checker. */
export const storedNames = ['identity', 'monitor', 'disruption', 'statuspage', 'notifier', 'gateway'] as const;
export type StoredName = (typeof storedNames)[number];

/** Users of NATS: every process, and the operator. */
export const natsUserNames = [...processNames, 'operator'] as const;
export type NatsUserName = (typeof natsUserNames)[number];

/** Callers of services: every process, and the admin command. */
export const callerNames = [...processNames, 'admin'] as const;
export type CallerName = (typeof callerNames)[number];
