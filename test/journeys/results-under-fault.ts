import { setTimeout as sleep } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { openDatabase } from '@tocsin/database';
import { prepareDatabases } from '@tocsin/local/prepare-databases';
import { openSecrets } from '@tocsin/local/secrets';
import { CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { natsOptions } from '@tocsin/runtime';
import { eventually, seededRandom } from '@tocsin/testing';
import { RESULT_SUBJECT } from '@tocsin/work-queue';
import { expect } from 'vitest';
import { openRounds } from '../../services/monitor/src/storage/rounds/round-store.ts';
import type { Network } from '../network.ts';
import { allHeard } from './all-heard.ts';
import { LOOKS, livesOf, REGIONS, type Sight } from './lives.ts';

const LIVES = 12;
const ROUNDS_OF_A_WAVE = 8;
const STEP_MS = 30_000;

/** Maximum delay from a round to its result in the stream, in milliseconds. */
const SHUFFLED_WITHIN_MS = 60_000;

/** Maximum time from the first stored results to the kill, in milliseconds. */
const KILL_WITHIN_MS = 300;
const timing = { timeoutMs: 180_000, intervalMs: 20 };

export interface Life {
  readonly id: string;
  readonly name: string;
  readonly rounds: readonly (readonly Sight[])[];
}

interface Entry {
  readonly life: Life;
  readonly round: number;
  readonly region: string;
  readonly sight: Exclude<Sight, undefined>;
}

/**
 * Sends the same results to two sets of monitors. The first set gets them in order. The second set gets each result
 * twice, shuffled within a minute, while the monitor service is killed several times. Waits until all results and their
 * events have been processed. Returns both sets, and the number of kills that happened while some rounds were still
 * open, which means that their votes had not been counted.
 *
 * The checkers must be stopped. Rounds are inserted as the schedule would insert them, but with deadlines in the past,
 * and only after all of their results are in the stream. This is the situation after an outage of the service. The
 * input of the sets thus differs only in the order, the repetitions and the kills. If the votes of a round are counted
 * before all of its results are read, the sets end in different states.
 */
export async function resultsUnderFault(network: Network, channelId: string, kills: number, seed: number) {
  await using stack = new AsyncDisposableStack();
  const { nats, postgres } = network.installation;
  const urls = await prepareDatabases(postgres?.url ?? '', await openSecrets(network.dataDir));
  const database = stack.use(await openDatabase({ url: urls.monitor, entities: [], migrations: [] }));
  const connection = await connect(natsOptions(nats?.url ?? ''));
  stack.defer(() => connection.close());
  const stream = jetstream(connection);
  const count = (kills + 1) * ROUNDS_OF_A_WAVE;
  const first = Math.floor(Date.now() / 1000) * 1000 - 10 * 60_000 - count * STEP_MS;
  const timeOf = (round: number) => new Date(first + round * STEP_MS);

  async function send(entries: readonly Entry[]): Promise<void> {
    await Promise.all(
      entries.map(({ life, round, region, sight }) => {
        const roundAt = timestampFromDate(timeOf(round));
        const result = { region, ...LOOKS[sight], checkedAt: roundAt, phases: { total: 100 } };
        const message = create(CheckResultSchema, { monitorId: life.id, roundAt, result });
        return stream.publish(RESULT_SUBJECT, toBinary(CheckResultSchema, message));
      }),
    );
  }
  async function open(set: readonly Life[], from: number, to: number): Promise<void> {
    const times = Array.from({ length: to - from }, (_, index) => timeOf(from + index));
    const rounds = set.flatMap(({ id: monitorId }) =>
      times.map((at) => ({ monitorId, at, regions: REGIONS, deadline: at })),
    );
    await database.transaction('every organization', (tx) => openRounds(tx, rounds));
  }
  async function rows(table: 'open_round' | 'check_result' | 'roll_up_due', set: readonly Life[]): Promise<number> {
    const time = table === 'roll_up_due' ? 'hour' : 'round_at';
    const sql = `select count(*)::integer as n from ${table} where monitor_id = any($1) and ${time} < $2`;
    const parameters = [set.map(({ id }) => id), timeOf(count)];
    const [row] = await database.transaction('every organization', (tx) => tx.query<{ n: number }>(sql, parameters));
    return row?.n ?? 0;
  }
  /** Waits until no round is open, the hourly counts include every result, and all events are consumed. */
  async function settled(set: readonly Life[]): Promise<void> {
    await eventually(async () => expect(await rows('open_round', set)).toBe(0), timing);
    await eventually(async () => expect(await rows('roll_up_due', set)).toBe(0), timing);
    await allHeard(network, timing.timeoutMs);
  }

  const lives = livesOf({ lives: LIVES, rounds: count, seed });
  const quiet = await createMonitors(network, 'Quiet', lives, channelId);
  await send(quiet.flatMap(entriesOf));
  await open(quiet, 0, count);
  await settled(quiet);

  const random = seededRandom('results under fault');
  const shaken = await createMonitors(network, 'Shaken', lives, channelId);
  const shuffled = [...shaken, ...shaken]
    .flatMap(entriesOf)
    .map((entry) => ({ entry, at: entry.round * STEP_MS + random() * SHUFFLED_WITHIN_MS }))
    .sort((a, b) => a.at - b.at);
  let hits = 0;
  for (let wave = 1, sent = 0, opened = 0; wave <= kills + 1; wave += 1) {
    const isLast = wave > kills;
    const until = wave * ROUNDS_OF_A_WAVE * STEP_MS;
    const end = isLast ? shuffled.length : shuffled.findIndex(({ at }) => at >= until);
    // Number of rounds for which all results have been sent.
    const complete = isLast ? count : Math.floor((until - SHUFFLED_WITHIN_MS) / STEP_MS);
    const written = await rows('check_result', shaken);
    await send(shuffled.slice(sent, end).map(({ entry }) => entry));
    await open(shaken, opened, complete);
    [sent, opened] = [end, complete];
    if (isLast) break;
    await eventually(async () => expect(await rows('check_result', shaken)).toBeGreaterThan(written), timing);
    await sleep(random() * KILL_WITHIN_MS);
    network.kill('monitor');
    if ((await rows('open_round', shaken)) > 0) hits += 1;
  }
  await settled(shaken);
  return { quiet, shaken, end: timeOf(count), hits };
}

function entriesOf(life: Life): Entry[] {
  return life.rounds.flatMap((sights, round) =>
    sights.flatMap((sight, index) => (sight ? [{ life, round, region: REGIONS[index] ?? '', sight }] : [])),
  );
}

function createMonitors(
  { api }: Network,
  set: string,
  lives: readonly Life['rounds'][],
  channelId: string,
): Promise<Life[]> {
  return Promise.all(
    lives.map(async (rounds, index) => {
      const name = `${set} ${index}`;
      const { id } = await api.post<{ id: string }>('/monitors', {
        name,
        check_type: 'http',
        config: { url: 'http://127.0.0.1:1/' },
        interval_seconds: 86_400,
        confirm_down_minutes: 1,
        confirm_up_minutes: 1,
        alert_channel_ids: [channelId],
      });
      return { id, name, rounds };
    }),
  );
}
