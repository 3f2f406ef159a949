import { checkAdvisories } from './advisories.ts';

/** `npm run advisories`: fails when there is a high or critical advisory, and when that could not be found out. */
const { outcome, text } = await checkAdvisories();
process.stdout.write(`${text}\n`);
if (outcome !== 'clear') process.exitCode = 1;
