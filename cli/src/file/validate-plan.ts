import type { Client } from '../api/client.ts';
import { CliError, EXIT, RefusedError } from '../errors.ts';
import { isObject, type Json } from '../json.ts';
import { idsOf, inParallel } from './apply-plan.ts';
import type { Current } from './current.ts';
import type { IdOf, Plan, Step, Task } from './plan.ts';

/** Placeholder for the id of a resource that does not exist yet. */
const UNKNOWN_ID = '00000000-0000-0000-0000-000000000000';

/** A step that the API would refuse. */
export interface Refusal {
  readonly step: Step;
  /** Reason, to be printed after the name of the resource, such as `would be refused (422): …`. */
  readonly reason: string;
}

/**
 * Lets the API validate the changes in a plan without making them. Skips deletions and requests whose path contains the
 * id of a resource that does not exist yet. Leaves such ids out of request bodies.
 * @throws CliError if the API is older than this command, and therefore makes the first change instead of validating
 * it.
 */
export async function validatePlan({ steps }: Plan, current: Current, client: Client): Promise<Refusal[]> {
  const ids = idsOf(current);
  const idOf: IdOf = (kind, name) => ids.get(`${kind} ${name}`) ?? UNKNOWN_ID;
  const refusals = new Map<Step, string>();

  async function validate({ step, task }: { step: Step; task: Task }): Promise<void> {
    const { method, path, body } = task.request(idOf);
    if (method === 'DELETE' || path.includes(UNKNOWN_ID)) return;
    try {
      const changed = await client.send(method, `${path}?validate_only=true`, { body: body && known(body) });
      if (changed !== undefined)
        throw new CliError(EXIT.unreachable, 'The installation is older than this command, and can not validate.');
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status === 401) throw error;
      refusals.set(step, `would be refused (${error.status}): ${error.message}`);
    }
  }

  const [first, ...others] = steps.flatMap((step) => step.tasks.map((task) => ({ step, task })));
  // The first change is validated alone, because an older API would make every change that is sent to it.
  if (first) await validate(first);
  await inParallel(others, validate);
  return steps.flatMap((step) => {
    const reason = refusals.get(step);
    return reason === undefined ? [] : [{ step, reason }];
  });
}

/** Returns a value without references to resources that do not exist yet. */
function known<Value extends Json>(value: Value): Value {
  if (Array.isArray(value)) return value.filter((item) => !isUnknown(item)).map(known) as Json as Value;
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== UNKNOWN_ID);
  return Object.fromEntries(fields.map(([name, field]) => [name, known(field as Json)])) as Json as Value;
}

function isUnknown(item: Json): boolean {
  return item === UNKNOWN_ID || (isObject(item) && Object.values(item).includes(UNKNOWN_ID));
}
