/**
 * Runs all programs of `npm start` in one process. TOCSIN_PROGRAMS is a JSON list of the programs with their
 * environments.
 */
import { type ProgramPlan, runTogether } from './run-together.ts';

const plans: readonly ProgramPlan[] = JSON.parse(process.env.TOCSIN_PROGRAMS ?? '[]');
// Child processes, such as browsers, must not inherit the secrets of all services.
delete process.env.TOCSIN_PROGRAMS;
await runTogether(plans);
