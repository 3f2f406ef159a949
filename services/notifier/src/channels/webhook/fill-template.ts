const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;

/**
 * Replaces `{{name}}` in a JSON template. Values are escaped for use inside a JSON string; a name without a value is
 * replaced by an empty string (spec: Alert channels).
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(VARIABLE, (_, name: string) =>
    Object.hasOwn(values, name) ? JSON.stringify(values[name]).slice(1, -1) : '',
  );
}

/** Returns the names of all variables in a template. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/** Value of every variable in the test. It is not valid JSON, so a variable outside of a string is detected. */
const SAMPLE = 'a "sample"';

/** Whether a template is valid JSON regardless of the values it is filled with. */
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
