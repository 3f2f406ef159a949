import { afterAll, beforeAll, test } from 'vitest';
import { VICTIMS } from '../network.ts';
import { outageWithCrash } from './outage.ts';
import type { Shop } from './shop.ts';
import { startStage } from './stage.ts';

const stage = await startStage();
afterAll(() => stage[Symbol.asyncDispose]());
const { network, receiver, target } = stage;
let shop: Shop;
beforeAll(async () => {
  shop = await stage.openShop();
});

test.each(VICTIMS)('an outage ends the same when %s is killed in the middle of it', async (victim) => {
  await outageWithCrash(network, shop, target, receiver, victim);
});
