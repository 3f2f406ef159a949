import { installChromium } from '@tocsin/dev-servers/find-chromium';
import { afterAll, beforeAll, describe } from 'vitest';
import { access } from './access.ts';
import { typesOfChannels } from './channel-types.ts';
import { fieldsOfChannels } from './channels.ts';
import { described } from './described.ts';
import { dryRuns } from './dry-runs.ts';
import { everyList } from './every-list.ts';
import { everyPost } from './every-post.ts';
import { heartbeats } from './heartbeats.ts';
import { type House, openHouse } from './house.ts';
import { httpInGeneral } from './http-in-general.ts';
import { limits } from './limits.ts';
import { historyOfMonitors } from './monitor-history.ts';
import { typesOfMonitors } from './monitor-types.ts';
import { fieldsOfMonitors } from './monitors.ts';
import { fieldsOfPages } from './pages.ts';
import { secrets } from './secrets.ts';
import { structure } from './structure.ts';
import { fieldsOfWebhooks } from './webhooks.ts';

// One product for all: it takes longer to start than to ask everything.
let opened: House | undefined;
beforeAll(async () => {
  opened = await openHouse({ TOCSIN_CHROMIUM: await installChromium(process.env) });
}, 240_000);
afterAll(() => opened?.[Symbol.asyncDispose]());

function house(): House {
  if (!opened) throw new Error('the house is opened before the first test');
  return opened;
}

describe('OpenAPI', () => described(house));
describe('access', () => access(house));
describe('HTTP in general', () => httpInGeneral(house));
describe('monitors', () => fieldsOfMonitors(house));
describe('types of monitors', () => typesOfMonitors(house));
describe('heartbeats', () => heartbeats(house));
describe('history of monitors', () => historyOfMonitors(house));
describe('alert channels', () => fieldsOfChannels(house));
describe('types of alert channels', () => typesOfChannels(house));
describe('webhooks', () => fieldsOfWebhooks(house));
describe('status pages', () => fieldsOfPages(house));
describe('structure', () => structure(house));
describe('dry runs', () => dryRuns(house));
describe('limits', () => limits(house));
describe('every list', () => everyList(house));
describe('every POST', () => everyPost(house));
// Last: it looks through what all others have left in logs, streams and answers.
describe('secrets', () => secrets(house));
