import { encodedTargets } from './encoded-targets.ts';
import { House } from './target.ts';

// A process of its own, so that what a test measures is the memory of the checks and not that of their targets.
const house = new House();
const bombs = encodedTargets().filter(({ outcome }) => outcome === 'fail');
const started = await Promise.all(bombs.map(({ start }) => start(house)));
process.send?.(started);
