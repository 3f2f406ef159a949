import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import type { Answer } from '../../api.ts';
import { DOCUMENT } from './api-coverage.ts';

/** Names of tests, by what the tests cover. A key is, for example, `POST /api/v1/monitors refuses name`. */
export type Facts = Readonly<Record<string, readonly string[]>>;

/** Records what the responses of the contract tests cover. */
export class Witness {
  readonly #facts = new Map<string, Set<string>>();

  /**
   * Records what a response covers.
   * @param operation Name of the operation in the document.
   */
  saw(operation: string, body: unknown, response: Answer): void {
    const { status } = response;
    this.#note(`${operation} answers ${status}`);
    if (status < 300) for (const path of pathsOf(body)) this.#note(`${operation} takes ${path}`);
    if (status === 422) for (const path of wrongIn(response)) this.#note(`${operation} refuses ${path}`);
    if (status < 300) for (const path of pathsOf(dataOf(response))) this.#note(`${operation} shows ${path}`);
  }

  /** Writes the records and the document's operations to the run's folder, if there is one. */
  async keep(operations: readonly object[]): Promise<void> {
    const folder = process.env.TOCSIN_API_COVERAGE;
    if (!folder) return;
    await writeFile(join(folder, DOCUMENT), JSON.stringify(operations));
    const events = Object.fromEntries([...this.#facts].map(([event, tests]) => [event, [...tests]]));
    await writeFile(join(folder, `${crypto.randomUUID()}.json`), JSON.stringify(events));
  }

  #note(event: string): void {
    const { testPath, currentTestName } = expect.getState();
    // Requests outside of tests are not recorded.
    if (!testPath || !currentTestName) return;
    const root = join(import.meta.dirname, '../../..');
    const tests = this.#facts.get(event) ?? new Set();
    this.#facts.set(event, tests.add(`${relative(root, testPath)}: ${currentTestName}`));
  }
}

function dataOf({ body }: Answer): unknown {
  return typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
}

function wrongIn({ body }: Answer): string[] {
  const { error } = (body ?? {}) as { error?: { errors?: object } };
  return Object.keys(error?.errors ?? {}).map((path) => path.replaceAll(/(^|\.)\d+(?=\.|$)/g, '$1*'));
}

/** Returns the paths of all members. Items of an array share one path, such as `components.*.name`. */
function pathsOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => pathsOf(item, at === '' ? '' : `${at}.*`)))];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const path = at === '' ? name : `${at}.${name}`;
    return [path, ...pathsOf(member, path)];
  });
}
