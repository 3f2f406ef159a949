import { bombs } from './encoded-targets.ts';
import { Fixture } from './target.ts';

// The targets run in a separate process, so that the test measures only the memory of the checks.
const fixture = new Fixture();
const started = await Promise.all(bombs().map(({ start }) => start(fixture)));
process.send?.(started);
