import { seededRandom } from '@tocsin/testing';
import { expect, test } from 'vitest';
import type { Alert, AlertKind } from './alert.ts';
import { routeAlert } from './channel-link.ts';
import { flappingUntil } from './flapping.ts';
import { decideFate, decideRelease, type Hold, planSummary } from './hold-back.ts';
import { isPager } from './incident.ts';
import { countMessage, type MessageHour } from './message-limit.ts';
import { type QuietHours, quietUntil } from './quiet-hours.ts';
import { type Change, changesOf, isChange, type NamedKind, stormAlert } from './storm.ts';

/*
 * Checks random combinations of quiet hours, the hourly limit, storms, flapping monitors, escalation and a channel that
 * is temporarily broken. None of these may happen:
 *
 * - An alert is neither sent nor listed in a message.
 * - A change is listed twice or in the wrong order, or the last message does not contain the latest state.
 * - A message is sent in quiet hours, or more messages are sent in an hour than the limit allows.
 * - The limit holds back alerts, and no message announces this.
 * - A pager does not get an alert immediately.
 *
 * Arrays replace the database. The production code makes all decisions.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const CALM_CHANGES = 4;
const STORM_MS = 20 * SECOND_MS;

interface Waiting {
  readonly alert: Alert;
  state: 'storm' | 'held' | Hold;
}

interface Message {
  readonly at: Date;
  readonly alert: Alert;
  readonly changes: readonly Change[];
  readonly heldBackUntil: Date | undefined;
}

/** A channel with the messages that were sent to it. */
class Channel {
  readonly sent: Message[] = [];
  waiting: Waiting[] = [];
  isBroken = false;
  #hour: MessageHour | undefined;
  #releasedLate = new Set<Message>();

  readonly type: string;
  readonly quietHours: QuietHours | undefined;
  readonly limit: number;

  constructor(type: string, quietHours: QuietHours | undefined, limit: number) {
    this.type = type;
    this.quietHours = quietHours;
    this.limit = limit;
  }

  get released(): ReadonlySet<Message> {
    return this.#releasedLate;
  }

  raise(alert: Alert, { now, stormId, changes }: { now: Date; stormId?: string; changes?: readonly Date[] }): void {
    const flapping = changes && isChange(alert.kind) ? flappingUntil(changes, CALM_CHANGES) : undefined;
    const flappingHolds = this.waiting.filter(
      ({ alert: { monitor }, state }) => reasonOf(state) === 'flapping' && monitor.id === alert.monitor.id,
    );
    if (flapping) for (const hold of flappingHolds) hold.state = later(hold.state, flapping);
    const leaving = flapping
      ? this.waiting.filter(({ alert: { monitor }, state }) => state === 'storm' && monitor.id === alert.monitor.id)
      : [];
    if (flapping) for (const one of leaving) one.state = { reason: 'flapping', until: flapping };
    flappingHolds.push(...leaving);
    const { fate, hour } = decideFate(
      {
        type: this.type,
        isBroken: this.isBroken,
        quietUntil: this.#quietUntil(now),
        waiting: latest(this.waiting.map(({ state }) => state).filter(isChannelHold)),
        flappingWaits: latest(flappingHolds.map(({ state }) => state).filter(isHold))?.until,
        leftStorm: leaving.length > 0,
        hour: this.#hour,
        limit: this.limit,
      },
      { kind: alert.kind, stormId: flapping ? undefined : stormId, flappingUntil: flapping, now },
    );
    this.#hour = hour;
    if (fate.kind === 'send') this.#send(alert, now, fate.lastUntil);
    else if (fate.kind === 'held') this.waiting.push({ alert, state: 'held' });
    else if (fate.kind === 'storm') this.waiting.push({ alert, state: 'storm' });
    else {
      if (fate.announces) this.#send({ ...alert, kind: 'monitor_flapping' }, now, fate.announces.lastUntil);
      this.waiting.push({ alert, state: { reason: fate.reason, until: fate.until } });
    }
  }

  sendStorm(stormId: string, now: Date): void {
    const grouped = this.waiting.filter(({ state }) => state === 'storm');
    this.waiting = this.waiting.filter(({ state }) => state !== 'storm');
    const [only, ...others] = grouped.map(({ alert }) => alert);
    if (!only) return;
    this.raise(others.length === 0 ? only : this.#summary(stormId, [only, ...others], now), { now });
  }

  sumUp(now: Date): void {
    const due = this.waiting.filter(({ state }) => isHold(state) && state.until <= now);
    const [first, ...others] = due.map(({ alert }) => alert);
    if (!first) return;
    const state = {
      enabled: true,
      isBroken: this.isBroken,
      quietUntil: this.#quietUntil(now),
      hour: this.#hour,
      limit: this.limit,
    };
    const { plan, hour } = planSummary(state, now);
    this.#hour = hour;
    if (plan.kind === 'send') {
      this.waiting = this.waiting.filter((one) => !due.includes(one));
      const alert = others.length === 0 ? first : this.#summary('summary', [first, ...others], now);
      this.#send(alert, now, plan.lastUntil);
    } else if (plan.kind === 'postpone') {
      for (const one of due) one.state = { reason: plan.reason, until: plan.until };
    } else for (const one of due) one.state = 'held';
  }

  break(): void {
    this.isBroken = true;
    for (const one of this.waiting) one.state = 'held';
  }

  heal(now: Date): void {
    this.isBroken = false;
    const held = this.waiting.filter(({ state }) => state === 'held');
    if (isPager(this.type)) {
      this.#release(held, now);
      return;
    }
    const state = { quietUntil: this.#quietUntil(now), hour: this.#hour, limit: this.limit };
    const { hold, hour } = decideRelease(held.length, state, now);
    this.#hour = hour;
    if (hold) for (const one of held) one.state = hold;
    else this.#release(held, now);
  }

  #release(held: readonly Waiting[], now: Date): void {
    this.waiting = this.waiting.filter((one) => !held.includes(one));
    for (const { alert } of held) {
      this.#send(alert, now, undefined);
      const message = this.sent.at(-1);
      if (message) this.#releasedLate.add(message);
    }
  }

  #quietUntil(now: Date): Date | undefined {
    return this.quietHours && quietUntil(this.quietHours, now);
  }

  #summary(id: string, alerts: readonly Alert[], now: Date): Alert {
    return stormAlert({ id, eventId: id, organizationId: 'o', stormId: id, changes: changesOf(alerts), now });
  }

  #send(alert: Alert, at: Date, heldBackUntil: Date | undefined): void {
    this.sent.push({ at, alert, changes: changesOf([alert]), heldBackUntil });
  }
}

const isHold = (state: Waiting['state']): state is Hold => typeof state === 'object';
const isChannelHold = (state: Waiting['state']): state is Hold => isHold(state) && state.reason !== 'flapping';
const reasonOf = (state: Waiting['state']) => (isHold(state) ? state.reason : state);
const later = (state: Waiting['state'], until: Date): Waiting['state'] =>
  isHold(state) && state.until < until ? { ...state, until } : state;
const latest = (holds: readonly Hold[]): Hold | undefined =>
  holds.reduce<Hold | undefined>((last, hold) => (last && last.until >= hold.until ? last : hold), undefined);

interface NamedMessage {
  readonly kind: NamedKind;
  readonly at: string;
  readonly count: number;
}

/** Simulates one random day. Returns the channel and the alerts that were raised for it. */
function play(random: () => number) {
  const pick = <Value>(...values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  const quietHours = pick(
    undefined,
    undefined,
    { from: '01:00', to: '03:30', timeZone: 'UTC' },
    {
      from: '22:00',
      to: '05:00',
      timeZone: 'Europe/Berlin',
    },
  );
  const channel = new Channel(pick('webhook', 'webhook', 'email', 'pagerduty'), quietHours, pick(0, 1, 2, 5, 20));
  const raised: Alert[] = [];
  const monitors = Array.from({ length: pick(1, 2, 6) }, (_, index) => ({
    id: `m${index}`,
    isDown: false,
    changes: [] as Date[],
    escalates: undefined as Date | undefined,
    link: { channelId: 'c', afterMinutes: pick(0, 0, 0, 5, 30), events: undefined },
    down: undefined as Alert | undefined,
    wasAlerted: false,
  }));
  let time = new Date('2026-03-28T12:00:00Z').getTime() + Math.floor(random() * 12 * HOUR_MS);
  let storm: { id: string; dueAt: number } | undefined;
  let serial = 0;
  const next = (kind: AlertKind, id: string): Alert => {
    const at = new Date(time);
    serial += 1;
    const name = { id, name: id, url: '' };
    const ids = { id: `a${serial}`, eventId: `a${serial}`, organizationId: 'o' };
    return { ...ids, kind, monitor: name, at, downSince: undefined, error: '', occurredAt: at };
  };
  const raise = (alert: Alert, changes?: readonly Date[]) => {
    raised.push(alert);
    channel.raise(alert, {
      now: new Date(time),
      ...(storm && { stormId: storm.id }),
      ...(changes && { changes: changes.slice(-CALM_CHANGES - 1) }),
    });
  };

  const tick = () => {
    const now = new Date(time);
    if (storm && storm.dueAt <= time) {
      channel.sendStorm(storm.id, now);
      storm = undefined;
    }
    for (const monitor of monitors) {
      if (!monitor.down || !monitor.escalates || monitor.escalates > now) continue;
      monitor.escalates = undefined;
      monitor.wasAlerted = true;
      raised.push(monitor.down);
      channel.raise(monitor.down, { now });
    }
    channel.sumUp(now);
  };

  const change = () => {
    const monitor = pick(...monitors);
    monitor.isDown = !monitor.isDown;
    const alert = next(monitor.isDown ? 'monitor_down' : 'monitor_recovered', monitor.id);
    monitor.changes.push(alert.at);
    monitor.escalates = undefined;
    const route = routeAlert(alert.kind, [monitor.link]);
    const [wait] = route.later;
    if (wait) {
      monitor.down = alert;
      monitor.escalates = new Date(time + wait.afterMinutes * MINUTE_MS);
      monitor.wasAlerted = false;
    }
    if (route.now.length > 0 || (route.ifAlerted.length > 0 && monitor.wasAlerted)) raise(alert, monitor.changes);
  };

  for (let step = 0; step < 150; step += 1) {
    time += Math.ceil(random() * pick(SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, 40 * MINUTE_MS));
    tick();
    const event = random();
    if (event < 0.8) change();
    else if (event < 0.86) raise(next('cert_expiring', pick(...monitors).id));
    else if (event < 0.92) storm ??= { id: `s${step}`, dueAt: time + STORM_MS };
    else if (channel.isBroken) channel.heal(new Date(time));
    else if (event < 0.96) channel.break();
  }
  if (channel.isBroken) channel.heal(new Date(time));
  for (const monitor of monitors) monitor.escalates = undefined;
  for (let minutes = 0; minutes < 5 * 24 * 60 && (channel.waiting.length > 0 || storm); minutes += 1) {
    time += MINUTE_MS;
    tick();
  }
  return { channel, raised };
}

function messagesAbout(channel: Channel, id: string, isWanted: (kind: NamedKind) => boolean): NamedMessage[] {
  return channel.sent
    .filter(({ alert }) => alert.kind !== 'monitor_flapping')
    .flatMap(({ changes }) => changes)
    .filter(({ monitorId, kind }) => monitorId === id && isWanted(kind))
    .map(({ kind, at, count = 1 }) => ({ kind, at, count }));
}

const ROUNDS = 400;

test('every alert is sent or listed in a message exactly once and in order, and all messages respect quiet hours and limits', {
  timeout: 120_000,
}, () => {
  const random = seededRandom('alert policy');
  const seen = { summaries: 0, flapping: 0, notes: 0, quiet: 0, late: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { channel, raised } = play(random);
    expect(channel.waiting).toEqual([]);
    for (const id of new Set(raised.map(({ monitor }) => monitor.id))) {
      for (const isWanted of [isChange, (kind: AlertKind) => kind === 'cert_expiring']) {
        const wanted = raised.filter(({ kind, monitor }) => monitor.id === id && isWanted(kind));
        const messages = messagesAbout(channel, id, isWanted);
        expect(messages.reduce((sum, { count }) => sum + count, 0)).toBe(wanted.length);
        expect(messages.at(-1)).toEqual(
          wanted.length === 0
            ? undefined
            : expect.objectContaining({ kind: wanted.at(-1)?.kind, at: wanted.at(-1)?.at.toISOString() }),
        );
        expect(messages.map(({ at }) => at)).toEqual(messages.map(({ at }) => at).sort());
      }
    }
    if (isPager(channel.type)) {
      const [kinds, sent] = [raised, channel.sent.map(({ alert }) => alert)];
      expect(sent.map(({ id }) => id)).toEqual(kinds.map(({ id }) => id));
      continue;
    }
    checkLimits(channel);
    seen.summaries += channel.sent.filter(({ alert }) => alert.kind === 'monitors_changed').length;
    seen.flapping += channel.sent.filter(({ alert }) => alert.kind === 'monitor_flapping').length;
    seen.notes += channel.sent.filter(({ heldBackUntil }) => heldBackUntil).length;
    seen.quiet += channel.quietHours ? 1 : 0;
    seen.late += channel.released.size;
  }
  // Each situation must occur often enough on the random days.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});

/**
 * Checks that no message is sent in quiet hours, that the hourly limit is not exceeded, and that the last message
 * within the limit says until when further alerts are held back.
 */
function checkLimits({ sent, quietHours, limit, released }: Channel): void {
  let hour: MessageHour | undefined;
  for (const message of sent) {
    if (quietHours) expect(quietUntil(quietHours, message.at)).toBeUndefined();
    const { hour: counted, slot } = countMessage(hour, limit, message.at);
    hour = counted;
    expect(slot.kind).not.toBe('none');
    // Alerts that a broken channel held are sent without a note about the limit.
    if (!released.has(message)) expect(message.heldBackUntil).toEqual(slot.kind === 'last' ? slot.until : undefined);
  }
}
