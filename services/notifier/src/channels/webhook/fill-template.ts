import { fillPlaceholders, placeholdersIn } from '@tocsin/enums';

/**
 * Replaces `{{name}}` in a JSON template. Values are escaped for use inside a JSON string. A name without a value is
 * replaced by an empty string.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return fillPlaceholders(template, (name) =>
    Object.hasOwn(values, name) ? JSON.stringify(values[name]).slice(1, -1) : '',
  );
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
