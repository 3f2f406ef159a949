import { constants, setPriority } from 'node:os';
import { attacks } from './attacks.ts';
import { type Order, World } from './world.ts';

/**
 * Runs an attack until standard input ends. It runs in a separate process, so that it does not delay measurements.
 * Prints `ready` when the attack has begun, and at the end the received statuses as one line of JSON.
 */
// Real attackers work on other machines. This process therefore gets only the processor time that the services do not
// use.
setPriority(constants.priority.PRIORITY_LOW);
const order: Order = JSON.parse(process.argv[2] ?? '');
const attack = attacks[order.attack];
if (!attack) throw new Error(`there is no attack "${order.attack}"`);

await using world = new World(order);
process.stdin.resume().once('end', () => world.stop());
await attack(world, () => process.stdout.write('ready\n'));
process.stdout.write(`${JSON.stringify(world.tally)}\n`, () => process.exit(0));
