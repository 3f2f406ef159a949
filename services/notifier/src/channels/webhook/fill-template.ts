const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;

/**
 * Fills `{{name}}` in a JSON template. A value is escaped for the inside of a JSON string; a name without a value
 * becomes nothing (spec: Alert channels).
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(VARIABLE, (_, name: string) =>
    Object.hasOwn(values, name) ? JSON.stringify(values[name]).slice(1, -1) : '',
  );
}

/** The names of all variables in a template. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/** Any name has a value here, which is no JSON by itself: a variable outside of a string shows. */
const SAMPLE = 'a "sample"';

/** Returns whether a template is valid JSON when filled with any values. */
export function isJsonTemplate(template: string): boolean {
  return isJson(fillTemplate(template, Object.fromEntries(namesIn(template).map((name) => [name, SAMPLE]))));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
