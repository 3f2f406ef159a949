import { asOfNotice, html } from '@tocsin/html';
import { expect, test } from 'vitest';
import { renderAsOf } from './rendering.ts';

const rendered = async (contentType: string, body: Buffer) => {
  const headers = { 'content-type': contentType };
  const page = { pageId: 'page', organizationId: 'acme', version: 'v1', checkedAt: undefined, headers, body };
  const { etag, responses } = await renderAsOf(page, new Date('2026-03-10T12:00:00Z'));
  return { etag, body: Buffer.from(responses.identity.body, 'latin1') };
};

test('renderAsOf() adds the time to the notice in an HTML page, and changes the ETag', async () => {
  const page = Buffer.from(String(html`${asOfNotice((time) => html`Ä ${time}`)}`));
  const { etag, body } = await rendered('text/html; charset=utf-8', page);
  expect(body.toString()).toContain('Ä <time datetime="2026-03-10T12:00:00.000Z">');
  expect(etag).not.toBe('W/"v1"');
});

test('renderAsOf() does not change an image or its ETag', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const { etag, body } = await rendered('image/png', bytes);
  expect(body.equals(bytes)).toBe(true);
  expect(etag).toBe('W/"v1"');
});
