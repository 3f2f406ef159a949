/** The parts of a request that may name secrets. */
interface RequestTexts {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A monitor's secret variables by name. */
export type Secrets = ReadonlyMap<string, string>;

const REFERENCE = /\{\{([A-Za-z_][A-Za-z0-9_]{0,63})\}\}/g;

/** The config with each `{{NAME}}` in header values and body replaced by its secret; what names none stays as it is. */
export function fillSecrets<T extends RequestTexts>(config: T, secrets: Secrets): T {
  if (secrets.size === 0) return config;
  // By function: a `$` in a secret means nothing.
  const fill = (text: string) => text.replaceAll(REFERENCE, (reference, name) => secrets.get(name) ?? reference);
  const headers = Object.entries(config.headers).map(([name, value]) => [name, fill(value)] as const);
  return {
    ...config,
    headers: Object.fromEntries(headers),
    body: config.body === undefined ? undefined : fill(config.body),
  };
}

/**
 * A text of a result with each secret's value replaced by its name: a target may answer with what it was sent, in a
 * redirect for example, which then stands in an error. In whatever case, as host names lose theirs, and as it is written elsewhere.
 */
export function hideSecrets(text: string, secrets: Secrets): string {
  if (text === '') return text;
  const spellings = [...secrets].flatMap(([name, value]) => spellingsOf(value).map((spelling) => ({ name, spelling })));
  // The longest first, so that one secret inside another does not uncover the rest of it.
  return spellings
    .toSorted((a, b) => b.spelling.length - a.spelling.length)
    .reduce((hidden, { name, spelling }) => replaceInAnyCase(hidden, spelling, `{{${name}}}`), text);
}

/** As it is, inside a URL, a form, JSON, and HTML. */
function spellingsOf(value: string): string[] {
  const form = new URLSearchParams({ '': value }).toString().slice(1);
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const json = JSON.stringify(value).slice(1, -1);
  const all = [value, encodeURIComponent(value), encodeURI(value), form, json, html, html.replaceAll('"', '&quot;')];
  return [...new Set(all)];
}

function replaceInAnyCase(text: string, part: string, replacement: string): string {
  const expression = part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return text.replaceAll(new RegExp(expression, 'giu'), () => replacement);
}
