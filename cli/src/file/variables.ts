import { isObject, type Json } from '../json.ts';
import type { Path } from './validate.ts';

/** A value in which environment variables have been replaced. */
export interface Expanded {
  readonly value: Json;
  /** Variables that are not set, each with the path of a text that uses it. These texts are unchanged. */
  readonly missing: readonly { readonly name: string; readonly path: Path }[];
}

const VARIABLE = /\$\$\{|\$\{([^}]*)\}/g;
const ALONE = /^\$\{([^}]*)\}$/;

/**
 * Replaces `${NAME}` in all texts of a value. `$${` becomes `${`. If a list item is only a variable, its value can
 * contain several items, separated by commas.
 */
export function expandVariables(value: Json, env: NodeJS.ProcessEnv, path: Path = []): Expanded {
  const missing: { name: string; path: Path }[] = [];
  function expand(item: Json, at: Path): Json {
    if (typeof item === 'string') return expandText(item, at);
    if (Array.isArray(item)) {
      return item.flatMap((entry: Json, index) => {
        const expanded = expand(entry, [...at, index]);
        const isList = typeof entry === 'string' && ALONE.test(entry) && typeof expanded === 'string';
        return isList ? expanded.split(',').map((part) => part.trim()) : [expanded];
      });
    }
    if (!isObject(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, inner]) => [key, expand(inner ?? null, [...at, key])]));
  }
  function expandText(text: string, at: Path): string {
    return text.replace(VARIABLE, (whole, name?: string) => {
      if (name === undefined) return '${';
      const replacement = env[name];
      if (replacement !== undefined && replacement !== '') return replacement;
      missing.push({ name, path: at });
      return whole;
    });
  }
  return { value: expand(value, path), missing };
}
