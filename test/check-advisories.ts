import { checkAdvisories } from './advisories.ts';

/**
 * Implements `npm run advisories`. Fails if there is a high or critical advisory, or if the registry did not respond.
 */
const { outcome, text } = await checkAdvisories();
process.stdout.write(`${text}\n`);
if (outcome !== 'clear') process.exitCode = 1;
