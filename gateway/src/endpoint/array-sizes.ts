import { MAX_FINDINGS, type SchemaViolation } from './field-errors.ts';

/**
 * Maximum total number of items in all arrays of a body. Without it, nested arrays could each stay within their own
 * limit while the total grows with the product of the limits.
 */
export const MAX_ITEMS_IN_ALL = 10_000;

/** Schema keywords that this module reads. */
interface SizedSchema {
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly items?: SizedSchema;
  readonly properties?: Readonly<Record<string, SizedSchema>>;
  readonly additionalProperties?: boolean | SizedSchema;
}

/** A violation in the form that Fastify expects from validators. */
export type Violation = SchemaViolation & { readonly schemaPath: string; readonly params: Record<string, unknown> };

/**
 * Finds arrays and objects that are larger than their schema allows, and strings that are not valid Unicode or contain
 * U+0000. Runs before the full validation, whose cost grows with each invalid item.
 */
export function sizeViolations(schema: SizedSchema, value: unknown): Violation[] {
  const violations: Violation[] = [];
  /** Names and indexes on the way to the visited value. */
  const path: (string | number)[] = [];
  let items = 0;

  function report(keyword: string, parentSchema: SizedSchema, limit?: number): void {
    if (violations.length >= MAX_FINDINGS) return;
    const instancePath = keyword === 'itemsInAll' ? '' : pointerOf(path);
    violations.push({ keyword, instancePath, schemaPath: '', params: { limit }, parentSchema: { ...parentSchema } });
  }

  function visit(node: unknown, at: SizedSchema): void {
    if (items > MAX_ITEMS_IN_ALL) return;
    if (typeof node === 'string') {
      if (node.includes('\0')) report('controlCharacter', at);
      else if (!node.isWellFormed()) report('unicode', at);
    } else if (Array.isArray(node)) visitArray(node, at);
    else if (typeof node === 'object' && node !== null) visitObject(node, at);
  }

  function visitArray(nodes: readonly unknown[], at: SizedSchema): void {
    const { maxItems, items: itemSchema } = at;
    if (maxItems !== undefined && nodes.length > maxItems) {
      report('maxItems', at, maxItems);
      return;
    }
    items += nodes.length;
    if (items > MAX_ITEMS_IN_ALL) report('itemsInAll', {}, MAX_ITEMS_IN_ALL);
    else if (itemSchema) {
      for (let index = 0; index < nodes.length; index += 1) {
        path.push(index);
        visit(nodes[index], itemSchema);
        path.pop();
      }
    }
  }

  function visitObject(node: object, at: SizedSchema): void {
    const { maxProperties, properties = {}, additionalProperties } = at;
    if (maxProperties !== undefined && Object.keys(node).length > maxProperties) {
      report('maxProperties', at, maxProperties);
      return;
    }
    const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    // Bodies are plain objects, so they have no other names than their own.
    for (const name in node) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : others;
      if (schema) {
        path.push(name);
        visit(node[name as keyof typeof node], schema);
        path.pop();
      }
    }
  }

  visit(value, schema);
  return violations;
}

/** Returns a JSON pointer (RFC 6901 §3). */
function pointerOf(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
