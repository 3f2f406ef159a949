import type { Document, Reference } from '../document/types.ts';

/** Returns the target of a reference. Returns anything else unchanged. */
export type Resolve = <Part extends object>(part: Part | Reference) => Part;

/**
 * Returns the resolver of a document's references.
 * @throws Error if a reference has no target in the document.
 */
export function resolverOf(document: Document): Resolve {
  return <Part extends object>(part: Part | Reference): Part => {
    if (!('$ref' in part) || typeof part.$ref !== 'string') return part as Part;
    const steps = part.$ref.split('/').slice(1);
    const found = steps.reduce<unknown>(
      (node, step) => (node as Record<string, unknown> | undefined)?.[step],
      document,
    );
    if (found === undefined) throw new Error(`the document refers to ${part.$ref}, which it lacks`);
    // The cast is safe, because the caller knows the type of the reference's target.
    return found as Part;
  };
}
