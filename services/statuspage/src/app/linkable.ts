import { validate } from 'uuid';
import type { MonitorLink } from '../domain/tree.ts';
import type { Deps } from './ports.ts';

/**
 * Tells which of the linked ids are monitors of the organization. To be asked before a transaction, so that no row
 * stays locked while another service is asked.
 */
export async function linkable(
  { monitors }: Deps,
  organizationId: string,
  links: readonly MonitorLink[],
): Promise<(id: string) => boolean> {
  const ids = new Set(links.map(({ monitorId }) => monitorId).filter((id) => validate(id)));
  const existing = new Set(await monitors.existing(organizationId, [...ids]));
  return (id) => existing.has(id);
}
