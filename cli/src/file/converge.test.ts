import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject, type Json, type JsonObject, objectsOf, textOf } from '../json.ts';
import type { Current, Kind } from './current.ts';
import { exportFile } from './export.ts';
import { load } from './load.ts';
import { type Plan, plan, type Request } from './plan.ts';

const KINDS: Readonly<Record<string, Kind>> = {
  'alert-channels': 'alert_channel',
  monitors: 'monitor',
  'status-pages': 'status_page',
};

/** A simulated installation, which processes requests like the API. */
class Installation {
  readonly items: Record<Kind, JsonObject[]> = { alert_channel: [], monitor: [], status_page: [] };
  #ids = 0;

  get current(): Current {
    return this.items;
  }

  idOf = (kind: Kind, name: string): string => {
    const found = this.items[kind].find((item) => (kind === 'status_page' ? item.slug : item.name) === name);
    if (!found) throw new Error(`there is no ${kind} ${name}`);
    return textOf(found.id);
  };

  make({ method, path, body = {} }: Request): void {
    const [, list = '', id = '', part] = path.split('/');
    const kind = KINDS[list];
    if (!kind) throw new Error(`there is no ${path}`);
    const items = this.items[kind];
    const index = items.findIndex((item) => item.id === id);
    if (method === 'POST') {
      items.push({ ...initial[kind], id: this.#nextId(), ...stored(body) });
      return;
    }
    const item = items[index];
    if (!item) throw new Error(`there is no ${path}`);
    if (method === 'PATCH') items[index] = { ...item, ...stored(body) };
    else if (part === 'structure') items[index] = { ...item, components: objectsOf(body.components).map(this.#entry) };
    else if (method === 'DELETE' && part === undefined) items.splice(index, 1);
    else throw new Error(`${method} ${path} is not expected`);
  }

  #entry = (entry: JsonObject): JsonObject => ({
    ...entry,
    id: entry.id ?? this.#nextId(),
    ...(entry.type === 'group' && { components: objectsOf(entry.components).map(this.#entry) }),
  });

  #nextId(): string {
    this.#ids += 1;
    return `id${this.#ids}`;
  }
}

const initial: Readonly<Record<Kind, JsonObject>> = {
  alert_channel: { broken_at: null, fallback_channel_id: null },
  monitor: { alert_channel_ids: [] },
  status_page: { custom_domain: null, components: [] },
};

/** Converts the fields in a request to the fields in the API's response. */
function stored({ config, secrets, alert_channel_ids: links, ...body }: JsonObject): JsonObject {
  const linked = Array.isArray(links) ? links.filter(isObject) : [];
  return {
    ...body,
    ...(body.type === undefined && config !== undefined && { config }),
    ...(isObject(secrets) && { secret_names: Object.keys(secrets) }),
    ...(links !== undefined && {
      alert_channel_ids: linked.map(({ channel_id }): Json => channel_id ?? null),
      alert_channel_links: linked.filter(({ after_minutes }) => after_minutes !== 0),
    }),
  };
}

/** Values of the variables that exported files refer to. */
const VARIABLES = { A_TOPIC: 'a', B_TOPIC: 'a', C_TOPIC: 'a', D_TOPIC: 'a' };

const name = fc.constantFrom('A', 'B', 'C', 'D');
const names = fc.uniqueArray(name, { maxLength: 4 });

const component = (monitors: readonly string[]) =>
  fc.record({
    component: name,
    monitors: fc.subarray([...monitors]),
    description: fc.constantFrom(null, 'text'),
  });

/** A random file whose references are all valid. */
const file = fc.tuple(names, names, names).chain(([channels, monitors, pages]) =>
  fc.record({
    alert_channels: fc.tuple(
      ...channels.map((channel) =>
        fc.record({
          name: fc.constant(channel),
          type: fc.constant('ntfy'),
          config: fc.constant({ topic: 'a' }),
          default_for_new_monitors: fc.boolean(),
          fallback_channel: fc.constantFrom(null, ...channels.filter((other) => other !== channel)),
        }),
      ),
    ),
    monitors: fc.tuple(
      ...monitors.map((monitor) =>
        fc.record({
          name: fc.constant(monitor),
          check_type: fc.constant('heartbeat'),
          interval_seconds: fc.constantFrom(60, 180),
          alert_channels: fc
            .subarray(channels)
            .chain((linked) =>
              fc.tuple(...linked.map((channel) => fc.constantFrom<Json>(channel, { channel, after_minutes: 5 }))),
            ),
        }),
      ),
    ),
    status_pages: fc.tuple(
      ...pages.map((page) =>
        fc.record({
          name: name,
          slug: fc.constant(`page-${page.toLowerCase()}`),
          theme: fc.constantFrom('dark', 'system'),
          components: fc.array(
            fc.oneof(
              component(monitors),
              fc.record({ group: name, components: fc.array(component(monitors), { maxLength: 3 }) }),
            ),
            { maxLength: 4 },
          ),
        }),
      ),
    ),
  }),
);

function planOf(content: string, installation: Installation): Plan {
  const { desired, errors } = load('f', content, VARIABLES);
  expect(errors).toEqual([]);
  const result = plan(desired, installation.current, { prune: true, isSent: () => true });
  expect(result.errors).toEqual([]);
  return result;
}

/** Makes at most `most` requests of a plan, stage by stage. */
function applyTo(installation: Installation, { steps }: Plan, most = Number.POSITIVE_INFINITY): void {
  const tasks = steps.flatMap((step) => step.tasks).sort((a, b) => a.stage - b.stage);
  for (const task of tasks.slice(0, most)) installation.make(task.request(installation.idOf));
}

test('whatever resources exist, a run leads to the state in the file, even if the previous run was killed partway', () => {
  fc.assert(
    fc.property(file, file, fc.nat(20), (first, second, killedAfter) => {
      const installation = new Installation();
      applyTo(installation, planOf(JSON.stringify(first), installation));
      const wanted = JSON.stringify(second);
      applyTo(installation, planOf(wanted, installation), killedAfter);
      applyTo(installation, planOf(wanted, installation));
      expect(planOf(wanted, installation)).toEqual({ steps: [], notes: [], errors: [] });

      const { text } = exportFile(installation.current);
      expect(planOf(text, installation).steps).toEqual([]);
      const other = new Installation();
      applyTo(other, planOf(text, other));
      expect(exportFile(other.current).text).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test('a component keeps its id if the new file has a component with the same name on the same page', () => {
  fc.assert(
    fc.property(file, file, (first, second) => {
      const installation = new Installation();
      applyTo(installation, planOf(JSON.stringify(first), installation));
      const before = idsByName(installation);
      applyTo(installation, planOf(JSON.stringify(second), installation));
      for (const [key, ids] of idsByName(installation)) {
        const kept = ids.filter((id) => before.get(key)?.includes(id));
        expect(kept).toHaveLength(Math.min(ids.length, before.get(key)?.length ?? 0));
      }
    }),
    { numRuns: 200 },
  );
});

/** Returns the ids of components by page and name. */
function idsByName({ items }: Installation): Map<string, string[]> {
  const found = items.status_page.flatMap((page) =>
    objectsOf(page.components)
      .flatMap((entry) => (entry.type === 'group' ? objectsOf(entry.components) : [entry]))
      .map((entry) => [`${textOf(page.slug)} ${textOf(entry.name)}`, textOf(entry.id)] as const),
  );
  const grouped = Map.groupBy(found, ([key]) => key);
  return new Map([...grouped].map(([key, pairs]) => [key, pairs.map(([, id]) => id)]));
}
