import { join } from 'node:path';
import { type KubernetesObject, ofKind } from './objects.ts';

/** File with the immutable fields of the released charts, by chart and object. */
export const RELEASED = join(import.meta.dirname, 'immutable-fields.json');

/** Values file with which each chart creates the most objects. */
export const FULL_VALUES = {
  tocsin: '../quickstart-values.yaml',
  'tocsin-region': '../leaf-node-values.yaml',
} as const;

/**
 * Returns the fields that Kubernetes refuses to change in an upgrade, by the kind and the name of the object. Jobs are
 * left out, because the chart gives a changed Job another name.
 */
export function immutableFields(objects: readonly KubernetesObject[]): Record<string, unknown> {
  const entries = [
    ...ofKind(objects, 'Deployment').map((object) => [object, { selector: object.spec?.selector }] as const),
    ...ofKind(objects, 'StatefulSet').map((object) => {
      const { selector, serviceName, volumeClaimTemplates } = object.spec ?? {};
      return [object, { selector, serviceName, volumeClaimTemplates }] as const;
    }),
    ...ofKind(objects, 'Service').map((object) => [object, { clusterIP: object.spec?.clusterIP ?? null }] as const),
  ];
  return Object.fromEntries(entries.map(([{ kind, metadata }, fields]) => [`${kind} ${metadata.name}`, fields]));
}
