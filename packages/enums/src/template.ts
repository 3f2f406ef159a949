/** Names of the placeholders in the `payload_template` of a webhook channel. */
export const TEMPLATE_VARIABLES = [
  'event',
  'status',
  'monitor_id',
  'monitor_name',
  'monitor_url',
  'channel_name',
  'timestamp',
  'last_error',
  'downtime_duration',
  'cert_expiry_date',
  'days_remaining',
  'disruption_id',
  'outage_url',
  'status_page_url',
] as const;
export type TemplateVariable = (typeof TEMPLATE_VARIABLES)[number];

/** Placeholder in a template, such as `{{monitor_name}}`. */
const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/** Returns the names of the placeholders in a template. */
export function placeholdersIn(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/** Replaces each placeholder in a template with the value of its name. */
export function fillPlaceholders(template: string, fill: (name: string) => string): string {
  return template.replace(PLACEHOLDER, (_, name: string) => fill(name));
}
