import { afterAll, beforeAll, test } from 'vitest';
import { VICTIMS } from '../network.ts';
import { startFixture } from './fixture.ts';
import { outageWithCrash } from './outage.ts';
import type { Shop } from './shop.ts';

const fixture = await startFixture();
afterAll(() => fixture[Symbol.asyncDispose]());
const { network, receiver, target } = fixture;
let shop: Shop;
beforeAll(async () => {
  shop = await fixture.openShop();
});

test.each(VICTIMS)('an outage has the correct effects even if %s is killed during it', async (victim) => {
  await outageWithCrash(network, shop, target, receiver, victim);
});
