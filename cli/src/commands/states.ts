import { type Command, JSON_OPTION, type Option, printJson, widthOf } from '../command.ts';
import type { Context } from '../context.ts';
import { durationMs } from '../duration.ts';
import { EXIT } from '../errors.ts';
import { get, type JsonObject, objectsOf, textOf } from '../json.ts';
import { findId, MONITORS } from '../resource.ts';
import { table } from '../terminal/table.ts';
import { oneLine } from '../terminal/text.ts';

const INTERVAL: Option = { type: 'string', value: 'TIME', help: 'Time between two requests; default: 5s' };
const CLEAR = '\u001b[H\u001b[2J';
/** States, in the order in which the table lists them. */
const ORDER = ['down', 'stale', 'pending', 'up', 'disabled'];

const watch: Command = {
  name: 'watch',
  summary: 'Show the states of all monitors, and follow their changes',
  details:
    'On a terminal, the table is drawn again with each change. Otherwise each change is a line, or with --json an object.',
  options: { interval: INTERVAL, json: JSON_OPTION },
  examples: ['tocsin watch', 'tocsin watch --json | jq -c \'select(.state == "down")\''],
  async run(call) {
    const client = await call.client();
    const { context } = call;
    const pause = Math.max(1_000, durationMs(call.text('interval') ?? '5s'));
    let before: Map<string, string> | undefined;
    for (;;) {
      const monitors = await client.list(MONITORS.path);
      const states = new Map(monitors.map((monitor) => [textOf(monitor.id), stateOf(monitor)]));
      const changed = monitors.filter(({ id }) => before?.get(textOf(id)) !== states.get(textOf(id)));
      const gone = before !== undefined && before.size !== states.size;
      if (call.has('json') || !context.stdout.isTTY) {
        for (const monitor of changed) printChange(context, monitor, before, call.has('json'));
      } else if (changed.length > 0 || gone || before === undefined) draw(context, monitors);
      before = states;
      await context.sleep(pause);
    }
  },
};

const waitUp: Command = {
  name: 'wait-up',
  usage: 'NAME|ID…',
  args: [1, Number.POSITIVE_INFINITY],
  summary: 'Wait until monitors are up',
  details: 'Exits with 5 if they are not up in time.',
  options: {
    timeout: { type: 'string', value: 'TIME', help: 'Longest time to wait; default: 5m' },
    interval: INTERVAL,
  },
  examples: ['tocsin wait-up Shop', 'tocsin wait-up Shop Checkout --timeout 10m'],
  async run(call) {
    const timeout = durationMs(call.text('timeout') ?? '5m');
    const pause = Math.max(1_000, durationMs(call.text('interval') ?? '5s'));
    const client = await call.client();
    const { context } = call;
    const ids: string[] = [];
    for (const name of call.args) ids.push(await findId(client, MONITORS, name));
    const deadline = context.now() + timeout;
    for (;;) {
      const monitors = await Promise.all(ids.map((id) => client.data('GET', `${MONITORS.path}/${id}`)));
      const waiting = monitors.filter((monitor) => stateOf(monitor) !== 'up');
      if (waiting.length === 0) return undefined;
      const left = deadline - context.now();
      if (left <= 0) {
        const states = waiting.map((monitor) => `${oneLine(textOf(monitor.name))} is ${stateOf(monitor)}`);
        context.stderr.write(`${states.join(', ')}.\n`);
        return EXIT.unmet;
      }
      await context.sleep(Math.min(pause, left));
    }
  },
};

const check: Command = {
  name: 'monitors check',
  usage: 'NAME|ID',
  args: [1, 1],
  summary: 'Check a monitor now from every region, and show the results; its state does not change',
  options: { json: JSON_OPTION },
  examples: ['tocsin monitors check Shop'],
  async run(call) {
    const client = await call.client();
    const id = await findId(client, MONITORS, call.args[0] ?? '');
    const results = objectsOf(get(await client.send('POST', `${MONITORS.path}/${id}/check`), 'data'));
    if (call.has('json')) printJson(call.context, results);
    else {
      const rows = results.map(({ region, outcome, status_code, phases, error }) => [
        textOf(region),
        textOf(outcome),
        String(status_code ?? ''),
        `${Math.round(Number(get(phases, 'total') ?? 0))} ms`,
        textOf(error),
      ]);
      const titles = ['REGION', 'OUTCOME', 'STATUS', 'TIME', 'ERROR'];
      call.context.stdout.write(table(titles, rows, widthOf(call.context)));
    }
    return results.every(({ outcome }) => outcome === 'pass') ? undefined : EXIT.unmet;
  },
};

export const stateCommands: readonly Command[] = [check, watch, waitUp];

function stateOf(monitor: JsonObject): string {
  return monitor.enabled === false ? 'disabled' : textOf(monitor.current_state);
}

function printChange(
  { stdout, now }: Context,
  monitor: JsonObject,
  before: ReadonlyMap<string, string> | undefined,
  json: boolean,
): void {
  const at = new Date(now()).toISOString().replace(/\.\d+/, '');
  const previous = before?.get(textOf(monitor.id)) ?? null;
  const change = { at, id: textOf(monitor.id), name: textOf(monitor.name), state: stateOf(monitor), previous };
  if (json) stdout.write(`${JSON.stringify(change)}\n`);
  else stdout.write(`${at}  ${change.state.padEnd(8)}  ${oneLine(change.name)}\n`);
}

function draw(context: Context, monitors: readonly JsonObject[]): void {
  const sorted = monitors
    .map((monitor) => [stateOf(monitor), textOf(monitor.name)] as const)
    .sort(([a, one], [b, other]) => ORDER.indexOf(a) - ORDER.indexOf(b) || one.localeCompare(other));
  const counts = ORDER.map((state) => [state, sorted.filter(([own]) => own === state).length] as const)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`);
  context.stdout.write(
    `${CLEAR}${counts.join(', ') || 'no monitors'}\n\n${table(['STATE', 'NAME'], sorted, widthOf(context))}`,
  );
}
