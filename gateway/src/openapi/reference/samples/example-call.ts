import type { Operation, Parameter, Reference } from '../../document/types.ts';

/** An example of a call, from which the samples in all languages are made. */
export interface ExampleCall {
  /** Method in upper case. */
  readonly method: string;
  readonly url: string;
  /** Whether the call needs a credential, which samples read from the environment variable `TOCSIN_API_KEY`. */
  readonly hasCredential: boolean;
  /** Value of the JSON body; undefined without a body. */
  readonly body: unknown;
  /** Whether a successful response has a JSON body. */
  readonly returnsJson: boolean;
}

/** Returns an example call of an operation, with the examples of its path parameters and body. */
export function exampleCall(baseUrl: string, method: string, path: string, operation: Operation): ExampleCall {
  return {
    method: method.toUpperCase(),
    url: `${baseUrl}${withExamples(path, operation.parameters ?? [])}`,
    hasCredential: operation.security?.length !== 0,
    body: operation.requestBody?.content['application/json']?.example,
    returnsJson: Object.entries(operation.responses).some(
      ([status, response]) => status < '300' && 'content' in response && response.content?.['application/json'],
    ),
  };
}

function withExamples(path: string, parameters: readonly (Parameter | Reference)[]): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((candidate) => 'name' in candidate && candidate.name === name);
    const example =
      parameter && 'schema' in parameter ? (parameter.example ?? parameter.schema.examples?.[0]) : undefined;
    return encodeURIComponent(String(example ?? name));
  });
}
