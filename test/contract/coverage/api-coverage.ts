import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { coverageTable, type DescribedOperation } from './coverage-table.ts';
import type { Facts } from './witness.ts';

const PAGE = join(import.meta.dirname, '../../../.tmp/api-coverage.md');

/** Results of a contract test run. */
export interface ApiCoverage extends AsyncDisposable {
  /** Writes the coverage table to `.tmp/api-coverage.md`. Returns the statuses and fields that no test covers. */
  write(): Promise<readonly string[]>;
}

/**
 * Prepares a folder for the records of the contract tests. Must be called before the tests run, because the tests get
 * the folder from an environment variable.
 */
export async function startApiCoverage(): Promise<ApiCoverage> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-coverage-'));
  process.env.TOCSIN_API_COVERAGE = folder;
  return {
    async write() {
      const events: Record<string, string[]> = {};
      const names = await readdir(folder);
      if (!names.includes(DOCUMENT)) throw new Error('no contract test has run');
      for (const name of names.filter((file) => file !== DOCUMENT)) {
        const found: Facts = JSON.parse(await readFile(join(folder, name), 'utf8'));
        for (const [event, tests] of Object.entries(found)) events[event] = [...(events[event] ?? []), ...tests];
      }
      const operations: DescribedOperation[] = JSON.parse(await readFile(join(folder, DOCUMENT), 'utf8'));
      const { markdown, missing } = coverageTable(operations, events);
      await mkdir(dirname(PAGE), { recursive: true });
      await writeFile(PAGE, markdown);
      return missing;
    },
    async [Symbol.asyncDispose]() {
      delete process.env.TOCSIN_API_COVERAGE;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Name of the file that contains the operations of the OpenAPI document. */
export const DOCUMENT = 'document.json';
