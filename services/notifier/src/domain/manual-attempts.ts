/** Maximum number of tests and redeliveries per hour to one channel or subscription. */
export const MAX_MANUAL_ATTEMPTS_PER_RECIPIENT_HOUR = 100;
/** Maximum number of tests and redeliveries per hour to all channels and subscriptions of an organization. */
export const MAX_MANUAL_ATTEMPTS_PER_ORGANIZATION_HOUR = 1_000;
