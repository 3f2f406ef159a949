import { eventually } from '@tocsin/testing';
import { beforeAll, expect, test } from 'vitest';
import { type Fixture, newPage } from './fixture.ts';

/** Tests the formats of a public status page other than HTML. */
export function formatsOfPages(fixture: () => Fixture): void {
  let url: string;
  let componentId: string;
  beforeAll(async () => {
    const wanted = newPage({ enabled: true }) as { slug: string };
    const { id } = await fixture().mine.create('/status-pages', wanted);
    const components = [{ type: 'component', name: 'API' }];
    const { body } = await fixture().mine.call('PUT', `/status-pages/${id}/structure`, { components });
    componentId = (body as { data: { components: { id: string }[] } }).data.components[0]?.id ?? '';
    url = `${fixture().network.baseUrl}/s/${wanted.slug}`;
    await fixture().mine.create('/disruptions', {
      title: 'No power',
      started_at: '2026-01-01T10:00:00Z',
      status_page_id: id,
      components: [{ id: componentId, status: 'major_outage' }],
    });
    await eventually(async () => expect(await (await fetch(`${url}/history.rss`)).text()).toContain('No power'));
  });

  test.each([
    ['api/v2/summary.json', 'application/json', '"indicator":"critical"'],
    ['api/v2/incidents/unresolved.json', 'application/json', 'No power'],
    ['history.rss', 'application/rss+xml', 'No power'],
    ['history.atom', 'application/atom+xml', 'No power'],
    ['maintenance.ics', 'text/calendar', 'BEGIN:VCALENDAR'],
    ['badge.svg', 'image/svg+xml', 'Major outage'],
    ['sitemap.xml', 'application/xml', '<loc>'],
  ])('scripts of every origin can read %s', async (path, type, words) => {
    const response = await fetch(`${url}/${path}`, { headers: { origin: 'https://elsewhere.example' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.text()).toContain(words);
  });

  test.each(['history.rss', 'history.atom', 'badge.svg'])('each component has a separate %s', async (path) => {
    const response = await fetch(`${url}/components/${componentId}/${path}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('API');
  });

  test.each(['api/v2/nothing.json', 'history.json', 'components/x/badge.svg'])(
    'the path %s below a page is not found',
    async (path) => {
      expect((await fetch(`${url}/${path}`)).status).toBe(404);
    },
  );

  test('a page has an image for link previews, and a status line that any site may show in a frame', async () => {
    const [, image = ''] = /<meta property="og:image" content="([^"]*)">/.exec(await (await fetch(url)).text()) ?? [];
    const preview = await fetch(image);
    expect([preview.status, preview.headers.get('content-type')]).toEqual([200, 'image/png']);
    const embed = await fetch(`${url}/embed?theme=dark`);
    expect([embed.status, embed.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(embed.headers.get('content-security-policy')).toContain('frame-ancestors *');
    expect(embed.headers.get('x-frame-options')).toBeNull();
    expect(await embed.text()).toContain('Major outage');
    expect((await fetch(url)).headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
}
