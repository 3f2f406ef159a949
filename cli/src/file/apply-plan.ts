import type { Client } from '../api/client.ts';
import { CliError, RefusedError } from '../errors.ts';
import { type JsonObject, textOf } from '../json.ts';
import { type Current, KEYS } from './current.ts';
import { type IdOf, kindName, type Plan, type Step, type Task } from './plan.ts';
import type { SentValues } from './sent-values.ts';

/** Maximum number of concurrent requests. The API processes 16 per organization at a time. */
const CONCURRENCY = 8;

export interface Hooks {
  /** Called when all requests of a step have succeeded. */
  done(step: Step): void;
}

/** Thrown for a step that failed. Earlier steps stay in effect, and the next `apply` makes the remaining changes. */
export class StepError extends CliError {
  readonly step: Step;
  /** Reason for the failure, to be printed after the name of the resource, such as `was refused (422): …`. */
  readonly reason: string;

  constructor(step: Step, cause: CliError) {
    const reason =
      cause instanceof RefusedError ? `was refused (${cause.status}): ${cause.message}` : `failed: ${cause.message}`;
    super(cause.exitCode, `${kindName(step.kind)} "${step.name}" ${reason}`);
    this.step = step;
    this.reason = reason;
  }
}

interface Work {
  readonly step: Step;
  readonly task: Task;
}

/**
 * Makes the changes in a plan. After the first failure, completes only the requests that are already under way.
 * @throws StepError for the step that failed.
 */
export async function applyPlan(
  { steps }: Plan,
  current: Current,
  client: Client,
  sent: SentValues,
  { done }: Hooks,
): Promise<void> {
  const ids = idsOf(current);
  const idOf: IdOf = (kind, name) => {
    const id = ids.get(`${kind} ${name}`);
    if (id === undefined) throw new Error(`the ${kind} ${name} has no id`);
    return id;
  };
  const open = new Map(steps.map((step) => [step, step.tasks.length]));

  async function perform({ step, task }: Work): Promise<void> {
    const { method, path, body } = task.request(idOf);
    const response = await send(client, step, method, path, body);
    const resource = response as JsonObject | undefined;
    if (method === 'POST') ids.set(`${step.kind} ${step.name}`, textOf(resource?.id));
    if (step.secretValues && resource) sent.add(resource, step.secretValues);
    const left = (open.get(step) ?? 0) - 1;
    open.set(step, left);
    if (left === 0) done(step);
  }

  const works = steps.flatMap((step) => step.tasks.map((task): Work => ({ step, task })));
  const stages = [...new Set(works.map(({ task }) => task.stage))].sort((a, b) => a - b);
  try {
    for (const stage of stages) {
      await inParallel(
        works.filter(({ task }) => task.stage === stage),
        perform,
      );
    }
  } finally {
    await sent.save();
  }
}

/** Returns the ids of all resources by `<kind> <name>`. */
export function idsOf(current: Current): Map<string, string> {
  const kinds = ['alert_channel', 'monitor', 'status_page'] as const;
  return new Map(
    kinds.flatMap((kind) =>
      current[kind].map((item): [string, string] => [`${kind} ${textOf(item[KEYS[kind]])}`, textOf(item.id)]),
    ),
  );
}

async function send(client: Client, step: Step, method: string, path: string, body: JsonObject | undefined) {
  try {
    if (method === 'DELETE') {
      await client.send('DELETE', path);
      return undefined;
    }
    return await client.data(method as 'POST' | 'PATCH' | 'PUT', path, { body });
  } catch (error) {
    // Another client has already deleted the resource.
    if (method === 'DELETE' && error instanceof RefusedError && error.status === 404) return undefined;
    throw error instanceof CliError ? new StepError(step, error) : error;
  }
}

/** Runs `work` for all items, up to CONCURRENCY at a time. Starts no more items after a failure. */
export async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined && failures.length === 0; item = queue.shift()) {
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  if (failures.length > 0) throw failures[0];
}

/** Returns the number of steps by action. */
export function countSteps(steps: readonly Step[]): Record<Step['action'], number> {
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length;
  return { create: count('create'), update: count('update'), delete: count('delete') };
}
