import { eventually } from '@tocsin/testing';
import { expect } from 'vitest';
import { type Fixture, newPage, type Tenant } from './fixture.ts';

export interface Resource {
  readonly id: string;
  readonly status: string;
  readonly resolved_at: string | null;
  readonly affected_components: readonly { readonly id: string; readonly name: string; readonly status: string }[];
  readonly updates: readonly { readonly status: string; readonly body: string; readonly posted_by: string }[];
}

/** The two paths of disruptions, each with its default type. */
export const names: [string, string][] = [
  ['/disruptions', 'disruption'],
  ['/incidents', 'incident'],
];

export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const BEGAN = '2026-01-01T10:00:00Z';

/** Returns the body of a new disruption. */
export const slow = (changes: object = {}) => ({ title: 'Slow', started_at: BEGAN, ...changes });

/** Returns calls that tests of disruptions share. */
export function disruptionCalls(fixture: () => Fixture) {
  const open = (path = '/disruptions', changes: object = {}) => fixture().mine.create<Resource>(path, slow(changes));
  const read = async (path: string, tenant = fixture().mine) =>
    ((await tenant.call('GET', path)).body as { data: Resource }).data;
  const change = (id: string, body: object, path = '/disruptions') =>
    fixture().mine.call('PATCH', `${path}/${id}`, body);
  /** Returns the errors of a 422, otherwise the status. */
  const errorsOf = async (method: string, path: string, body?: object) => {
    const response = await fixture().mine.call(method, path, body);
    return response.status === 422 ? (response.body as { error: { errors: object } }).error.errors : response.status;
  };

  /** Creates a public page with components of these names. */
  async function aPage(tenant: Tenant, ...names: string[]) {
    const wish = newPage({ enabled: true }) as { slug: string };
    const { id } = await tenant.create('/status-pages', wish);
    const components = names.map((name) => ({ type: 'component', name }));
    const { body } = await tenant.call('PUT', `/status-pages/${id}/structure`, { components });
    const ids = (body as { data: { components: { id: string }[] } }).data.components.map((component) => component.id);
    const url = `${fixture().network.baseUrl}/s/${wish.slug}`;
    return {
      id,
      ids,
      /** URL of the public page. */
      url,
      /**
       * Returns the fields that publish a disruption to the page. `statuses` are the statuses of the page's components.
       */
      with: (...statuses: string[]) => ({
        status_page_id: id,
        components: statuses.map((status, index) => ({ id: ids[index], status })),
      }),
      /** Waits until the public page contains `words` but not `notWords`. */
      async shows(words: string, notWords: string): Promise<void> {
        await eventually(async () => {
          const text = await (await fetch(url)).text();
          expect(text).toContain(words);
          expect(text).not.toContain(notWords);
        });
      },
    };
  }

  return { open, read, change, errorsOf, aPage };
}
