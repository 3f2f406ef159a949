import { installChromium } from '@tocsin/dev-servers/find-chromium';
import { afterAll, beforeAll, describe } from 'vitest';
import { access } from './access.ts';
import { auditLog } from './audit-log.ts';
import { typesOfChannels } from './channel-types.ts';
import { fieldsOfChannels } from './channels.ts';
import { described } from './described.ts';
import { everyList } from './every-list.ts';
import { everyPost } from './every-post.ts';
import { type Fixture, openFixture } from './fixture.ts';
import { heartbeats } from './heartbeats.ts';
import { httpInGeneral } from './http-in-general.ts';
import { limits } from './limits.ts';
import { batchesOfMonitors } from './monitor-batches.ts';
import { historyOfMonitors } from './monitor-history.ts';
import { typesOfMonitors } from './monitor-types.ts';
import { fieldsOfMonitors } from './monitors.ts';
import { fieldsOfPages } from './pages.ts';
import { refusedBodies } from './refused-bodies.ts';
import { requestBodies } from './request-bodies.ts';
import { samples } from './samples.ts';
import { secrets } from './secrets.ts';
import { structure } from './structure.ts';
import { validateOnly } from './validate-only.ts';
import { fieldsOfWebhooks } from './webhooks.ts';

// All tests share one installation, because an installation takes a long time to start.
let opened: Fixture | undefined;
beforeAll(async () => {
  // The log has all levels, because the tests search all log lines for secrets.
  opened = await openFixture({ TOCSIN_LOG_LEVEL: 'trace', TOCSIN_CHROMIUM: await installChromium(process.env) });
}, 240_000);
afterAll(() => opened?.[Symbol.asyncDispose]());

function fixture(): Fixture {
  if (!opened) throw new Error('the fixture is opened before the first test');
  return opened;
}

describe('OpenAPI', () => described(fixture));
describe('access', () => access(fixture));
describe('HTTP in general', () => httpInGeneral(fixture));
describe('Request bodies', () => requestBodies(fixture));
describe('monitors', () => fieldsOfMonitors(fixture));
describe('batches of monitors', () => batchesOfMonitors(fixture));
describe('types of monitors', () => typesOfMonitors(fixture));
describe('heartbeats', () => heartbeats(fixture));
describe('history of monitors', () => historyOfMonitors(fixture));
describe('alert channels', () => fieldsOfChannels(fixture));
describe('types of alert channels', () => typesOfChannels(fixture));
describe('webhooks', () => fieldsOfWebhooks(fixture));
describe('status pages', () => fieldsOfPages(fixture));
describe('structure of status pages', () => structure(fixture));
describe('refused bodies', () => refusedBodies(fixture));
describe('limits', () => limits(fixture));
describe('audit log', () => auditLog(fixture));
describe('every list', () => everyList(fixture));
describe('every POST', () => everyPost(fixture));
describe('validate_only', () => validateOnly(fixture));
describe('samples', () => samples(fixture));
// This suite is the last one, because it searches logs, streams and responses of all other tests.
describe('secrets', () => secrets(fixture));
