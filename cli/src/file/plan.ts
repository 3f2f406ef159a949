import type { Method } from '../api/client.ts';
import { isEqual, type Json, type JsonObject, objectsOf, textOf } from '../json.ts';
import { type Current, configOf, entriesOf, KEYS, type Kind, linksOf, type NameOf, namesOf, PATHS } from './current.ts';
import type { Desired, DesiredChannel, DesiredMonitor, DesiredPage } from './desired.ts';
import { changedFields, configDifferences, differences, linkNames, without } from './differences.ts';
import { nearest } from './nearest.ts';
import { monitorsIn, structureBody, structureChange } from './structure.ts';
import type { Finding, Path } from './validate.ts';

/** Returns the id of the resource with a name. An earlier task may have created the resource. */
export type IdOf = (kind: Kind, name: string) => string;

export interface Request {
  readonly method: Method;
  readonly path: string;
  readonly body?: JsonObject;
}

/** A request that a step makes. All tasks of one stage finish before tasks of the next stage start. */
export interface Task {
  readonly stage: number;
  request(idOf: IdOf): Request;
}

/** A change to a field. `from` is undefined for a new field. */
export interface Change {
  readonly field: string;
  readonly from?: Json | undefined;
  readonly to?: Json | undefined;
}

/** A change to one resource. */
export interface Step {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: Kind;
  readonly name: string;
  /** Path of the resource in the file; undefined if the resource is not in the file. */
  readonly path?: Path;
  readonly changes: readonly Change[];
  readonly tasks: readonly Task[];
  /** Secret values that the resource has after the step. The API does not return them. */
  readonly secretValues?: JsonObject;
}

export interface Plan {
  readonly steps: readonly Step[];
  /** Notes for the user about things that are not changed. */
  readonly notes: readonly string[];
  /** Reasons why the file can't be applied. */
  readonly errors: readonly Finding[];
}

export interface Options {
  /**
   * Whether to delete resources that are not in the file. Applies only to kinds of resources for which the file has a
   * list.
   */
  readonly prune: boolean;
  /** Returns whether these values, which the API does not return, are known to be the current values of a resource. */
  isSent(resource: JsonObject, values: JsonObject): boolean;
}

const STAGES = {
  channel: 0,
  fallback: 1,
  monitor: 2,
  page: 3,
  structure: 4,
  domain: 5,
  delete: { status_page: 6, monitor: 7, alert_channel: 8 },
} as const;

const KIND_NAMES: Readonly<Record<Kind, string>> = {
  alert_channel: 'alert channel',
  monitor: 'monitor',
  status_page: 'status page',
};

/** Returns the name of a kind for messages. */
export function kindName(kind: Kind): string {
  return KIND_NAMES[kind];
}

/** Returns the steps that make an installation match a file; an empty list if it already does. */
export function plan(desired: Desired, current: Current, options: Options): Plan {
  return new Planner(desired, current, options).plan();
}

class Planner {
  readonly #desired: Desired;
  readonly #current: Current;
  readonly #options: Options;
  readonly #notes: string[] = [];
  readonly #errors: Finding[] = [];
  readonly #nameOf: NameOf;
  readonly #existing: Readonly<Record<Kind, ReadonlyMap<string, readonly JsonObject[]>>>;
  /** Names in the file by kind; undefined for kinds for which the file has no list. */
  readonly #inFile: Readonly<Record<Kind, ReadonlySet<string> | undefined>>;

  constructor(desired: Desired, current: Current, options: Options) {
    this.#desired = desired;
    this.#current = current;
    this.#options = options;
    this.#nameOf = namesOf(current);
    const byName = (kind: Kind) => Map.groupBy(current[kind], (item) => textOf(item[KEYS[kind]]));
    this.#existing = {
      alert_channel: byName('alert_channel'),
      monitor: byName('monitor'),
      status_page: byName('status_page'),
    };
    const { channels, monitors, pages } = desired;
    this.#inFile = {
      alert_channel: channels && new Set(channels.map(({ name }) => name)),
      monitor: monitors && new Set(monitors.map(({ name }) => name)),
      status_page: pages && new Set(pages.map(({ slug }) => slug)),
    };
  }

  plan(): Plan {
    const { channels = [], monitors = [], pages = [] } = this.#desired;
    const steps = [
      ...channels.flatMap((channel) => this.#channel(channel)),
      ...monitors.flatMap((monitor) => this.#monitor(monitor)),
      ...pages.flatMap((page) => this.#page(page)),
      ...(this.#options.prune ? this.#deletions() : []),
    ];
    return { steps: this.#errors.length > 0 ? [] : steps, notes: this.#notes, errors: this.#errors };
  }

  #channel(wanted: DesiredChannel): Step[] {
    const { path, name, type, settings, fallback, config, missing } = wanted;
    const existing = this.#find('alert_channel', name, [...path, 'name']);
    if (fallback !== null) this.#mustExist('alert_channel', fallback, [...path, 'fallback_channel']);
    if (existing === 'ambiguous') return [];
    const setFallback: Task = {
      stage: STAGES.fallback,
      request: (idOf) => ({
        method: 'PATCH',
        path: `${PATHS.alert_channel}/${idOf('alert_channel', name)}`,
        body: { fallback_channel_id: fallback === null ? null : idOf('alert_channel', fallback) },
      }),
    };
    if (!existing) {
      for (const one of missing) this.#errors.push(notSet(one));
      const create = creation('alert_channel', STAGES.channel, () => ({ name, type, config, ...settings }));
      const tasks = fallback === null ? [create] : [create, setFallback];
      return [{ action: 'create', kind: 'alert_channel', name, path, changes: [], tasks, secretValues: config }];
    }
    if (existing.type !== type) {
      this.#errors.push({
        path: [...path, 'type'],
        message: `can't be changed from ${textOf(existing.type)} to ${type}: delete the alert channel first, or use another name`,
      });
      return [];
    }
    // `enabled` of a broken channel is not compared, because the system has disabled the channel. A changed config
    // enables it again.
    const compared = existing.broken_at ? without(settings, 'enabled') : settings;
    if (existing.broken_at) {
      this.#notes.push(`alert channel "${name}" is broken: ${textOf(existing.broken_reason)}`);
    }
    const sendsConfig = missing.length === 0 && !this.#options.isSent(existing, config);
    if (missing.length > 0) this.#leftAsIs(`alert channel "${name}": its config`, missing);
    const changes = differences(compared, existing);
    const body = { ...changedFields(compared, changes), ...(sendsConfig && { config }) };
    const tasks: Task[] = [];
    if (Object.keys(body).length > 0) tasks.push(update('alert_channel', name, STAGES.channel, () => body));
    const fallbackNow = existing.fallback_channel_id
      ? this.#nameOf('alert_channel', existing.fallback_channel_id)
      : null;
    const fallbackChanges =
      fallbackNow === fallback ? [] : [{ field: 'fallback_channel', from: fallbackNow, to: fallback }];
    if (fallbackChanges.length > 0) tasks.push(setFallback);
    if (tasks.length === 0) return [];
    return [
      {
        action: 'update',
        kind: 'alert_channel',
        name,
        path,
        changes: [...changes, ...(sendsConfig ? [{ field: 'config' }] : []), ...fallbackChanges],
        tasks,
        ...(missing.length === 0 && { secretValues: config }),
      },
    ];
  }

  #monitor(wanted: DesiredMonitor): Step[] {
    const { path, name, checkType, settings, channels, secrets, missing } = wanted;
    const existing = this.#find('monitor', name, [...path, 'name']);
    for (const [index, link] of (channels ?? []).entries()) {
      this.#mustExist('alert_channel', link.channel, [...path, 'alert_channels', index]);
    }
    if (existing === 'ambiguous') return [];
    const links = (idOf: IdOf) =>
      channels && {
        alert_channel_ids: channels.map(({ channel, after_minutes, events }) => ({
          channel_id: idOf('alert_channel', channel),
          after_minutes,
          events,
        })),
      };
    const hasSecrets = secrets && Object.keys(secrets).length > 0;
    if (!existing) {
      for (const one of missing) this.#errors.push(notSet(one));
      const task = creation('monitor', STAGES.monitor, (idOf) => ({
        name,
        check_type: checkType,
        ...settings,
        ...(hasSecrets && { secrets }),
        ...links(idOf),
      }));
      const values = hasSecrets ? { secretValues: secrets } : {};
      return [{ action: 'create', kind: 'monitor', name, path, changes: [], tasks: [task], ...values }];
    }
    if (existing.check_type !== checkType) {
      this.#errors.push({
        path: [...path, 'check_type'],
        message: `can't be changed from ${textOf(existing.check_type)} to ${checkType}: delete the monitor with its history first, or use another name`,
      });
      return [];
    }
    const changes: Change[] = [
      ...differences(without(settings, 'config'), existing),
      ...configDifferences(settings.config, configOf(existing)),
    ];
    const body: Record<string, Json> = changedFields(without(settings, 'config'), changes);
    if (!isEqual(settings.config, configOf(existing))) body.config = settings.config ?? {};
    const secretChanges = this.#secretChanges(wanted, existing);
    if (secretChanges) {
      body.secrets = secretChanges.body;
      changes.push(...secretChanges.changes);
    }
    const linksNow = linksOf(existing, this.#nameOf);
    const changesLinks = channels !== undefined && !isEqual(channels, linksNow);
    if (changesLinks) {
      changes.push({ field: 'alert_channels', from: linkNames(linksNow), to: linkNames(channels) });
    }
    if (Object.keys(body).length === 0 && !changesLinks) return [];
    const task = update('monitor', name, STAGES.monitor, (idOf) => ({ ...body, ...(changesLinks && links(idOf)) }));
    const values = hasSecrets && missing.length === 0 ? { secretValues: secrets } : {};
    return [{ action: 'update', kind: 'monitor', name, path, changes, tasks: [task], ...values }];
  }

  /** Returns the changes to a monitor's secrets; undefined if there are none. */
  #secretChanges({ name, secrets, missing }: DesiredMonitor, existing: JsonObject) {
    if (!secrets) return undefined;
    const now = Array.isArray(existing.secret_names) ? existing.secret_names.map(String) : [];
    const wanted = Object.keys(secrets);
    const unset = missing.map(({ secret }) => secret);
    for (const one of missing) if (!now.includes(one.secret)) this.#errors.push(notSet(one));
    const kept = missing.filter(({ secret }) => now.includes(secret));
    if (kept.length > 0) this.#leftAsIs(`monitor "${name}": secrets`, kept);
    const added = wanted.filter((secret) => !now.includes(secret));
    const removed = now.filter((secret) => !wanted.includes(secret));
    const comparable = wanted.length > 0 && missing.length === 0;
    const resent = comparable && !this.#options.isSent(existing, secrets) ? wanted : [];
    const sent = [...new Set([...added, ...resent])].filter((secret) => !unset.includes(secret));
    if (sent.length === 0 && removed.length === 0) return undefined;
    return {
      body: Object.fromEntries([
        ...sent.map((secret) => [secret, secrets[secret] ?? null] as const),
        ...removed.map((secret) => [secret, null] as const),
      ]),
      changes: [
        ...sent.map((secret) => ({ field: `secrets.${secret}` })),
        ...removed.map((secret) => ({ field: `secrets.${secret}`, to: null })),
      ],
    };
  }

  #page(wanted: DesiredPage): Step[] {
    const { path, slug, settings, customDomain, entries } = wanted;
    const existing = this.#find('status_page', slug, [...path, 'slug']);
    for (const { monitor, place } of monitorsIn(entries ?? [])) {
      this.#mustExist('monitor', monitor, [...path, 'components', ...place]);
    }
    if (existing === 'ambiguous') return [];
    const tasks: Task[] = [];
    const changes: Change[] = existing ? differences(settings, existing) : [];
    if (!existing) tasks.push(creation('status_page', STAGES.page, () => ({ slug, ...settings })));
    else if (changes.length > 0) {
      const body = changedFields(settings, changes);
      tasks.push(update('status_page', slug, STAGES.page, () => body));
    }
    const now = existing ? entriesOf(existing, this.#nameOf) : [];
    if (entries && !isEqual(entries, now)) {
      if (existing) changes.push(structureChange(entries, now));
      tasks.push({
        stage: STAGES.structure,
        request: (idOf) => ({
          method: 'PUT',
          path: `${PATHS.status_page}/${idOf('status_page', slug)}/structure`,
          body: { components: structureBody(entries, objectsOf(existing?.components), idOf) },
        }),
      });
    }
    const domainNow = existing?.custom_domain ?? null;
    if (customDomain !== undefined && customDomain !== domainNow) {
      if (existing) changes.push({ field: 'custom_domain', from: domainNow, to: customDomain });
      tasks.push({
        stage: STAGES.domain,
        request: (idOf) => {
          const place = `${PATHS.status_page}/${idOf('status_page', slug)}/custom-domain`;
          return customDomain === null
            ? { method: 'DELETE', path: place }
            : { method: 'PUT', path: place, body: { domain: customDomain } };
        },
      });
    }
    if (tasks.length === 0) return [];
    return [{ action: existing ? 'update' : 'create', kind: 'status_page', name: slug, path, changes, tasks }];
  }

  #deletions(): Step[] {
    return (['status_page', 'monitor', 'alert_channel'] as const).flatMap((kind) => {
      const names = this.#inFile[kind];
      if (!names) return [];
      return this.#current[kind].flatMap((item): Step[] => {
        const name = textOf(item[KEYS[kind]]);
        if (names.has(name)) return [];
        const path = `${PATHS[kind]}/${textOf(item.id)}`;
        const task: Task = { stage: STAGES.delete[kind], request: () => ({ method: 'DELETE', path }) };
        return [{ action: 'delete', kind, name, changes: [], tasks: [task] }];
      });
    });
  }

  /** Returns the existing resource with a name. Reports an error if several resources have this name. */
  #find(kind: Kind, name: string, path: Path): JsonObject | 'ambiguous' | undefined {
    const found = this.#existing[kind].get(name) ?? [];
    if (found.length <= 1) return found[0];
    const ids = found.map(({ id }) => textOf(id)).join(', ');
    this.#errors.push({
      path,
      message: `is the ${KEYS[kind]} of ${found.length} ${kindName(kind)}s of the installation (${ids}): rename or delete all but one`,
    });
    return 'ambiguous';
  }

  /** Reports an error if no resource will have this name after the file is applied. */
  #mustExist(kind: Kind, name: string, path: Path): void {
    const inFile = this.#inFile[kind];
    if (inFile?.has(name)) return;
    const existing = this.#existing[kind].get(name) ?? [];
    const isDeleted = this.#options.prune && inFile !== undefined;
    if (existing.length === 1 && !isDeleted) return;
    if (existing.length > 1) {
      this.#find(kind, name, path);
      return;
    }
    const names = [...(inFile ?? []), ...(isDeleted ? [] : this.#existing[kind].keys())];
    const similar = nearest(name, names);
    const hint = similar === undefined ? '' : `; do you mean "${similar}"?`;
    const deleted = existing.length === 1 ? ', and --prune deletes the one of the installation' : '';
    this.#errors.push({
      path,
      message: `refers to the ${kindName(kind)} "${name}", which is not in the file${deleted}${hint}`,
    });
  }

  #leftAsIs(what: string, missing: readonly { readonly name: string }[]): void {
    const names = [...new Set(missing.map(({ name }) => name))];
    this.#notes.push(`${what} stays as it is, because ${names.join(', ')} ${names.length > 1 ? 'are' : 'is'} not set`);
  }
}

function notSet({ name, path }: { readonly name: string; readonly path: Path }): Finding {
  return { path, message: `needs the environment variable ${name}, which is not set` };
}

function creation(kind: Kind, stage: number, body: (idOf: IdOf) => JsonObject): Task {
  return { stage, request: (idOf) => ({ method: 'POST', path: PATHS[kind], body: body(idOf) }) };
}

function update(kind: Kind, name: string, stage: number, body: (idOf: IdOf) => JsonObject): Task {
  return {
    stage,
    request: (idOf) => ({ method: 'PATCH', path: `${PATHS[kind]}/${idOf(kind, name)}`, body: body(idOf) }),
  };
}
