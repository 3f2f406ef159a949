/** The services that answer RPCs, in no particular order: each may start first. */
export const serviceNames = ['identity', 'monitor', 'checker', 'disruption', 'statuspage', 'notifier'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Every process of an installation. */
export const processNames = [...serviceNames, 'gateway'] as const;
export type ProcessName = (typeof processNames)[number];

/** Those with a schema of their own in the database: all but the checker. */
export const storedNames = ['identity', 'monitor', 'disruption', 'statuspage', 'notifier', 'gateway'] as const;
export type StoredName = (typeof storedNames)[number];

/** Who calls services in a name of its own: every process, and the admin command. */
export const callerNames = [...processNames, 'admin'] as const;
export type CallerName = (typeof callerNames)[number];
