import type { Json, JsonObject } from '../json.ts';
import { oneLine } from '../terminal/text.ts';
import { countSteps } from './apply-plan.ts';
import { type Change, kindName, type Plan, type Step } from './plan.ts';

const SIGNS = { create: '+', update: '~', delete: '-' } as const;
const MAX_VALUE = 60;

/** Returns a line for a step, and one for each changed field. */
export function describeStep({ action, kind, name, changes }: Step): string {
  const lines = changes.map((change) => `    ${describeChange(change)}\n`);
  return `${SIGNS[action]} ${kindName(kind)} "${oneLine(name)}"\n${lines.join('')}`;
}

/** Returns a sentence such as `3 changes: 2 to create, 1 to update`. */
export function summarize({ steps }: Plan): string {
  if (steps.length === 0) return 'No changes';
  const counts = Object.entries(countSteps(steps)).filter(([, count]) => count > 0);
  return `${steps.length} change${steps.length === 1 ? '' : 's'}: ${counts.map(([action, count]) => `${count} to ${action}`).join(', ')}`;
}

/** Returns a plan in machine-readable form. */
export function planJson({ steps, notes }: Plan): JsonObject {
  return {
    changes: steps.map(({ action, kind, name, changes }) => ({
      action,
      kind,
      name,
      fields: changes.map(({ field, from, to }) => ({
        field,
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      })),
    })),
    notes: [...notes],
  };
}

function describeChange({ field, from, to }: Change): string {
  if (field.startsWith('secrets.')) return `${field}: ${to === null ? 'removed' : 'sent again'}`;
  if (field === 'config') return 'config: sent again, because it is not known to be the same';
  // Request headers and bodies often contain credentials.
  if (['config.headers', 'config.body'].includes(field)) return `${field}: changed`;
  if (Array.isArray(from) && Array.isArray(to)) return `${field}: ${describeLists(from, to)}`;
  return `${field}: ${shown(from)} → ${shown(to)}`;
}

function describeLists(from: readonly Json[], to: readonly Json[]): string {
  const before = from.map((item) => JSON.stringify(item));
  const after = to.map((item) => JSON.stringify(item));
  const added = after.filter((item) => !before.includes(item)).map((item) => `+ ${item}`);
  const removed = before.filter((item) => !after.includes(item)).map((item) => `- ${item}`);
  return oneLine([...added, ...removed].join(', ')) || 'changed';
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  const text = oneLine(JSON.stringify(value));
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
