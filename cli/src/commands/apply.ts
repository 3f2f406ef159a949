import { readFile, writeFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import type { Client } from '../api/client.ts';
import { type Call, type Command, JSON_OPTION, type Option, printJson } from '../command.ts';
import { CliError, EXIT, type ExitCode, UsageError } from '../errors.ts';
import { applyPlan, StepError } from '../file/apply-plan.ts';
import { type Current, readCurrent } from '../file/current.ts';
import { describeStep, planJson, summarize } from '../file/describe-plan.ts';
import { exportFile } from '../file/export.ts';
import { fileSchema } from '../file/file-schema.ts';
import { exceededLimits } from '../file/limits.ts';
import { type Loaded, load } from '../file/load.ts';
import { kindName, type Plan, plan, type Step } from '../file/plan.ts';
import { openSentValues, type SentValues } from '../file/sent-values.ts';
import { type Refusal, validatePlan } from '../file/validate-plan.ts';
import { get } from '../json.ts';

const FILE: Option = { type: 'string', short: 'f', value: 'FILE', help: 'YAML or JSON; - is stdin' };
const PRUNE: Option = {
  type: 'boolean',
  help: 'Delete what is not in the file, of the kinds that the file names',
};
const VALIDATE: Option = {
  type: 'boolean',
  help: 'Let the API validate each change before the first one is made',
};
const OUTPUT: Option = { type: 'string', short: 'o', value: 'FILE', help: 'Write to a file instead of stdout' };

const DETAILS = `The file has monitors, alert channels and status pages, with names instead of ids. Names are unique within a kind.
A wrong file is refused as a whole, and nothing is changed. \${NAME} in configs of alert channels and in secrets is a
variable of the environment. "tocsin export" writes the file from what exists.`;

/** A file, and the changes that make the installation match it. */
interface Planned {
  readonly client: Client;
  readonly current: Current;
  readonly loaded: Loaded;
  readonly plan: Plan;
  readonly sent: SentValues;
}

const applyCommand: Command = {
  name: 'apply',
  summary: 'Make the installation as a file says',
  details: `${DETAILS} A second run changes nothing, and completes a run that was interrupted.`,
  options: { file: FILE, prune: PRUNE, validate: VALIDATE, json: JSON_OPTION },
  examples: ['tocsin apply -f status.yaml --validate', 'tocsin apply -f status.yaml --prune'],
  async run(call) {
    const planned = await planOf(call);
    const { context } = call;
    const print = (step: Step) => !call.has('json') && context.stdout.write(describeStep(step));
    let done = 0;
    try {
      await applyPlan(planned.plan, planned.current, planned.client, planned.sent, {
        done(step) {
          done += 1;
          print(step);
        },
      });
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      const { path } = error.step;
      const message = path ? planned.loaded.source.describe({ path, message: error.reason }) : error.message;
      const total = planned.plan.steps.length;
      const rest = `${done} of ${total} changes were made. Apply the file again to make the rest.`;
      throw new CliError(error.exitCode, `${message}\n${rest}`);
    }
    if (call.has('json')) printJson(context, planJson(planned.plan));
    else context.stdout.write(done === 0 ? 'No changes.\n' : `${done} change${done === 1 ? '' : 's'} made.\n`);
    return undefined;
  },
};

const planCommand: Command = {
  name: 'plan',
  summary: 'Show what "apply" would change',
  details: DETAILS,
  options: {
    file: FILE,
    prune: PRUNE,
    validate: VALIDATE,
    json: JSON_OPTION,
    'exit-code': { type: 'boolean', help: 'Exit with 5 if there are changes' },
  },
  examples: ['tocsin plan -f status.yaml', 'tocsin plan -f status.yaml --prune --exit-code'],
  async run(call) {
    const { plan: changes } = await planOf(call);
    if (call.has('json')) printJson(call.context, planJson(changes));
    else {
      for (const step of changes.steps) call.context.stdout.write(describeStep(step));
      call.context.stdout.write(`${summarize(changes)}.\n`);
    }
    return call.has('exit-code') && changes.steps.length > 0 ? EXIT.unmet : undefined;
  },
};

const exportCommand: Command = {
  name: 'export',
  summary: 'Write the file for "apply" from what exists',
  details:
    'Configs of alert channels and values of secrets can not be read from the API. They become variables, which the head of\nthe file lists.',
  options: { output: OUTPUT },
  examples: ['tocsin export -o status.yaml'],
  async run(call) {
    const { text, variables } = exportFile(await readCurrent(await call.client()));
    await writeOutput(call, text);
    if (variables.length > 0) {
      call.context.stderr.write(`Secret values are not part of the file. It uses ${variables.join(', ')}.\n`);
    }
    return undefined;
  },
};

const schemaCommand: Command = {
  name: 'schema',
  summary: 'Print the JSON Schema of files for "apply", for editors',
  options: { output: OUTPUT },
  examples: ['tocsin schema -o status.schema.json'],
  async run(call) {
    await writeOutput(call, `${JSON.stringify(fileSchema, null, 2)}\n`);
    return undefined;
  },
};

export const applyCommands: readonly Command[] = [applyCommand, planCommand, exportCommand, schemaCommand];

/** Writes text to the file that an option names, or to stdout. */
export async function writeOutput(call: Call, text: string): Promise<void> {
  const file = call.text('output');
  if (file === undefined) call.context.stdout.write(text);
  else await writeFile(file, text);
}

/** Reads a file and the existing resources, and compares them. Throws an error for an invalid file. */
async function planOf(call: Call): Promise<Planned> {
  const { context } = call;
  const file = call.text('file');
  if (file === undefined) throw new UsageError('Which file? Add -f status.yaml');
  const loaded = load(file, await readText(file, call), context.env);
  for (const warning of loaded.warnings) context.stderr.write(`warning: ${warning}\n`);
  refuseIfWrong(file, loaded.errors);
  const client = await call.client();
  const [current, sent, me] = await Promise.all([
    readCurrent(client),
    openSentValues(context.env),
    client.data('GET', '/me'),
  ]);
  const changes = plan(loaded.desired, current, { prune: call.has('prune'), isSent: sent.has });
  refuseIfWrong(file, [...changes.errors.map(loaded.source.describe), ...exceededLimits(changes, me)]);
  if (call.has('validate')) {
    const refusals = await validatePlan(changes, current, client);
    const describe = ({ step: { path, kind, name }, reason }: Refusal) =>
      path ? loaded.source.describe({ path, message: reason }) : `${kindName(kind)} "${name}" ${reason}`;
    refuseIfWrong(file, refusals.map(describe), EXIT.refused);
  }
  for (const note of changes.notes) context.stderr.write(`note: ${note}\n`);
  return { client, current, loaded, plan: changes, sent };
}

function refuseIfWrong(file: string, errors: readonly string[], exitCode: ExitCode = EXIT.usage): void {
  if (errors.length === 0) return;
  const count = `${errors.length} error${errors.length === 1 ? '' : 's'}`;
  throw new CliError(exitCode, `${errors.join('\n')}\n${file} was refused with ${count}; nothing was changed.`);
}

async function readText(file: string, { context }: Call): Promise<string> {
  if (file === '-') return readAll(context.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${String(get(error, 'code'))}.`);
  }
}
