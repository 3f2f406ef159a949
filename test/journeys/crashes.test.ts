import { afterAll, beforeAll, test } from 'vitest';
import { type Network, startNetwork, VICTIMS } from '../network.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { startTarget, type Target } from '../target.ts';
import { outageWithCrash } from './outage.ts';
import { openShop, type Shop } from './shop.ts';

const stack = new AsyncDisposableStack();
let network: Network;
let receiver: Receiver;
let target: Target;
let shop: Shop;
beforeAll(async () => {
  receiver = stack.use(await startReceiver());
  target = stack.use(await startTarget());
  network = stack.use(await startNetwork());
  shop = await openShop(network, target, receiver);
});
afterAll(() => stack.disposeAsync());

test.each(VICTIMS)('an outage ends the same when %s is killed in the middle of it', async (victim) => {
  await outageWithCrash(network, shop, target, receiver, victim);
});
