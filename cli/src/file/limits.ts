import { get } from '../json.ts';
import type { Kind } from './current.ts';
import type { Plan } from './plan.ts';

/** For each kind of resource, the name of the limit in `GET /me`, and the plural noun in messages. */
const LIMITS: Readonly<Record<Kind, readonly [name: string, plural: string]>> = {
  alert_channel: ['alert_channels', 'alert channels'],
  monitor: ['monitors', 'monitors'],
  status_page: ['status_pages', 'status pages'],
};

/**
 * Returns a sentence for each limit of the organization that the plan would exceed. `me` is the response of `GET /me`.
 * Deletions are not subtracted, because the plan deletes resources only after it has created the new ones.
 */
export function exceededLimits({ steps }: Plan, me: unknown): string[] {
  return (Object.keys(LIMITS) as Kind[]).flatMap((kind) => {
    const [name, plural] = LIMITS[kind];
    const created = steps.filter((step) => step.action === 'create' && step.kind === kind).length;
    const limit = get(get(get(me, 'limits'), name), 'limit');
    const used = get(get(get(me, 'limits'), name), 'used');
    if (created === 0 || typeof limit !== 'number' || typeof used !== 'number' || used + created <= limit) return [];
    return [`The file has ${created} new ${plural}, but the organization has ${used} of at most ${limit}.`];
  });
}
