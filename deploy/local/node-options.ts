import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

const file = parseEnv(readFileSync(join(import.meta.dirname, 'node-options.sh'), 'utf8'));

/** Options of Node for each program. */
export const optionsOfAll = optionsIn('NODE_OPTIONS_OF_ALL');

/** Additional options of the process that runs all services. */
export const optionsOfOneProcess = optionsIn('NODE_OPTIONS_OF_ONE_PROCESS');

function optionsIn(name: string): readonly string[] {
  const options = file[name]?.split(' ');
  if (!options) throw new Error(`node-options.sh does not set ${name}`);
  return options;
}
