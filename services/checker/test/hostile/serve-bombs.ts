import { encodedTargets } from './encoded-targets.ts';
import { Fixture } from './target.ts';

// A separate process, so that a test measures the memory of the checks without their targets.
const fixture = new Fixture();
const bombs = encodedTargets().filter(({ outcome }) => outcome === 'fail');
const started = await Promise.all(bombs.map(({ start }) => start(fixture)));
process.send?.(started);
