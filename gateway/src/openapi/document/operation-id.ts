/** Verbs for the methods on a single resource. */
const VERBS: Readonly<Record<string, string>> = {
  get: 'get',
  post: 'create',
  put: 'replace',
  patch: 'update',
  delete: 'delete',
};

/**
 * Returns the operation id, such as `listMonitors` for `GET /api/v1/monitors`. Generated clients use it as the name of
 * a function. It depends only on method and path.
 */
export function operationId(method: string, path: string): string {
  const segments = path.split('/').slice(3);
  const nouns = segments.filter((segment) => !isParameter(segment));
  const last = nouns.at(-1) ?? '';
  const above = nouns.slice(0, -1).map(singular);
  // In POST …/monitors/{id}/check the last segment of the path is the verb.
  if (method === 'post' && last === singular(last)) return camelCase([last, ...above]);
  const isList = method === 'get' && last !== singular(last) && !isParameter(segments.at(-1) ?? '');
  return camelCase(isList ? ['list', ...above, last] : [VERBS[method] ?? method, ...above, singular(last)]);
}

/** Returns the resource of a path parameter: `status page` for `{id}` in `/api/v1/status-pages/{id}`. */
export function resourceOf(path: string, parameter: string): string {
  const segments = path.split('/');
  return singular(segments[segments.indexOf(`{${parameter}}`) - 1] ?? '').replaceAll('-', ' ');
}

export function singular(noun: string): string {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`;
  return noun.endsWith('s') ? noun.slice(0, -1) : noun;
}

export function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function camelCase(words: readonly string[]): string {
  const [first = '', ...others] = words.flatMap((word) => word.split('-'));
  return [first, ...others.map(pascalCase)].join('');
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}
