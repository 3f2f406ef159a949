/**
 * Runs all programs of `npm start` in one process: `node one-process.ts [URL]`. The URL names a bundle of
 * run-together.ts; by default, the source is used. Receives a JSON list of the programs with their environments on
 * stdin, when PostgreSQL and NATS are running. Meanwhile, the modules of the programs are loaded.
 */
import { text } from 'node:stream/consumers';
import type { ProgramPlan } from './run-together.ts';

const [, , url = './run-together.ts'] = process.argv;
const { runTogether }: typeof import('./run-together.ts') = await import(url);
const plans: readonly ProgramPlan[] = JSON.parse(await text(process.stdin));
await runTogether(plans);
