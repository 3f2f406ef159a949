import { encodedTargets } from './encoded-targets.ts';
import { Fixture } from './target.ts';

// A process of its own, so that what a test measures is the memory of the checks and not that of their targets.
const fixture = new Fixture();
const bombs = encodedTargets().filter(({ outcome }) => outcome === 'fail');
const started = await Promise.all(bombs.map(({ start }) => start(fixture)));
process.send?.(started);
