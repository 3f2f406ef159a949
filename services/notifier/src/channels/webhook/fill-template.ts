import { fillPlaceholders, placeholdersIn } from '@tocsin/enums';

/**
 * Replaces `{{name}}` in a JSON template. Values are escaped for use inside a JSON string. A name without a value is
 * replaced by an empty string.
 */
export function fillTemplate(template: string, values: TemplateValues): string {
  const escaped = new Map(placeholdersIn(template).map((name) => [name, escapedValue(values, name)]));
  return fillPlaceholders(template, (name) => escaped.get(name) ?? '');
}

export type TemplateValues = Readonly<Record<string, string>>;

/**
 * Returns the size in bytes of a filled template, and the name that contributes most to it, without filling the
 * template. The name is undefined if the template has no placeholders.
 */
export function measureFilled(
  template: string,
  values: TemplateValues,
): { bytes: number; largest: string | undefined } {
  const bytesOf = new Map<string, number>();
  const sizes = new Map<string, number>();
  for (const name of placeholdersIn(template)) {
    const size = sizes.get(name) ?? Buffer.byteLength(escapedValue(values, name));
    sizes.set(name, size);
    bytesOf.set(name, (bytesOf.get(name) ?? 0) + size);
  }
  const [largest] = [...bytesOf].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const fixed = Buffer.byteLength(fillPlaceholders(template, () => ''));
  return { bytes: bytesOf.values().reduce((sum, bytes) => sum + bytes, fixed), largest };
}

/** Returns a value as it appears inside a JSON string, or an empty string if the name has no value. */
function escapedValue(values: TemplateValues, name: string): string {
  return Object.hasOwn(values, name) ? JSON.stringify(values[name]).slice(1, -1) : '';
}

/** Sample value for the validity check. It is not valid JSON, so the check finds variables outside of strings. */
const SAMPLE = 'a "sample"';

/** Whether a template is valid JSON for all values of its variables. */
export function isJsonTemplate(template: string): boolean {
  return isJson(fillTemplate(template, Object.fromEntries(placeholdersIn(template).map((name) => [name, SAMPLE]))));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
