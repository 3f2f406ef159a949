import { afterAll, beforeAll, describe } from 'vitest';
import { components } from './components.ts';
import { fieldsOfDisruptions } from './disruptions.ts';
import { type Fixture, openFixture } from './fixture.ts';
import { formatsOfPages } from './page-formats.ts';
import { publishing } from './publishing.ts';
import { timelineEdits } from './timeline-edits.ts';

// All tests share one installation, because an installation takes a long time to start.
let opened: Fixture | undefined;
beforeAll(async () => {
  opened = await openFixture();
});
afterAll(() => opened?.[Symbol.asyncDispose]());

function fixture(): Fixture {
  if (!opened) throw new Error('the fixture is opened before the first test');
  return opened;
}

// This suite is the first one, because it reads a whole list of disruptions.
describe('disruptions', () => fieldsOfDisruptions(fixture));
describe('published disruptions', () => publishing(fixture));
describe('timelines', () => timelineEdits(fixture));
describe('components', () => components(fixture));
describe('formats of pages', () => formatsOfPages(fixture));
