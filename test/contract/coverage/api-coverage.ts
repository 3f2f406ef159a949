import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coverageTable, type DescribedOperation } from './coverage-table.ts';
import type { Facts } from './witness.ts';

const PAGE = join(import.meta.dirname, '../../../docs/api-coverage.md');

/** What a run of the contract tests proved. */
export interface ApiCoverage extends AsyncDisposable {
  /** Says what is wrong with docs/api-coverage.md; nothing when every row has its test and the page is up to date. */
  problems(): Promise<string[]>;
  /** Writes the page anew. Answers what no test shows. */
  write(): Promise<readonly string[]>;
}

/** To be called before the contract tests run: they find the folder by the environment. */
export async function startApiCoverage(): Promise<ApiCoverage> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-coverage-'));
  process.env.TOCSIN_API_COVERAGE = folder;

  async function table() {
    const facts: Record<string, string[]> = {};
    const names = await readdir(folder);
    for (const name of names.filter((file) => file !== DOCUMENT)) {
      const found: Facts = JSON.parse(await readFile(join(folder, name), 'utf8'));
      for (const [fact, tests] of Object.entries(found)) facts[fact] = [...(facts[fact] ?? []), ...tests];
    }
    if (!names.includes(DOCUMENT)) throw new Error('no contract test has run');
    const operations: DescribedOperation[] = JSON.parse(await readFile(join(folder, DOCUMENT), 'utf8'));
    return coverageTable(operations, facts, await pageBefore());
  }

  return {
    async problems() {
      const { markdown, missing } = await table();
      const page = await pageBefore();
      const lines = new Set(page.split('\n'));
      const missingLines = markdown.split('\n').filter((line) => !lines.has(line));
      return [
        ...missing.map((fact) => `no test shows that ${fact}`),
        ...(page === markdown ? [] : ['docs/api-coverage.md is out of date: npm run api-coverage', ...missingLines]),
      ];
    },
    async write() {
      const { markdown, missing } = await table();
      await writeFile(PAGE, markdown);
      return missing;
    },
    async [Symbol.asyncDispose]() {
      delete process.env.TOCSIN_API_COVERAGE;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function pageBefore(): Promise<string> {
  return readFile(PAGE, 'utf8').catch(() => '');
}

/** Where the tests leave the described operations. */
export const DOCUMENT = 'document.json';
