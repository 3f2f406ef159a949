import type { Operation, Parameter, Reference } from '../document/types.ts';

/** Returns a curl command for an operation, with the key in `$TOCSIN_KEY`. */
export function curl(baseUrl: string, method: string, path: string, operation: Operation): string {
  const url = `${baseUrl}${withExamples(path, operation.parameters ?? [])}`;
  const body = operation.requestBody?.content['application/json']?.example;
  const lines = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} ${quoted(url)}`,
    '-H "authorization: Bearer $TOCSIN_KEY"',
    ...(body === undefined
      ? []
      : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ];
  return lines.join(' \\\n  ');
}

function withExamples(path: string, parameters: readonly (Parameter | Reference)[]): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((candidate) => 'name' in candidate && candidate.name === name);
    const example = parameter && 'schema' in parameter ? parameter.schema.examples?.[0] : undefined;
    return encodeURIComponent(String(example ?? name));
  });
}

/** Quotes a text as one word of a shell command. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
