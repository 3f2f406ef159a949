/**
 * Runs all programs of `npm start` in one process. Receives a JSON list of the programs with their environments on
 * stdin, when PostgreSQL and NATS are running. Meanwhile, the modules of the programs are loaded.
 */
import { text } from 'node:stream/consumers';
import { type ProgramPlan, runTogether } from './run-together.ts';

const plans: readonly ProgramPlan[] = JSON.parse(await text(process.stdin));
await runTogether(plans);
