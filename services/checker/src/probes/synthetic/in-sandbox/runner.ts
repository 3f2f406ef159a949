import type { ToSandbox } from '../protocol.ts';
import { CheckError, originalOf } from './check-error.ts';
import { hideInErrors } from './equals.ts';
import { createExpect } from './expect.ts';
import { createPages } from './page.ts';
import { createResponse, type ResponseData } from './response.ts';
import { whereInScript } from './where-in-script.ts';
import { createWire } from './wire.ts';

/** Functions of Deno that this program uses. */
declare const Deno: {
  readonly stdin: { readonly readable: ReadableStream<Uint8Array> };
  readonly stdout: { writeSync(bytes: Uint8Array): number };
};

/** Deno's global function that adds an event listener, as in browsers. */
declare function addEventListener(
  name: string,
  onMessage: (event: Event & { readonly reason?: unknown; readonly error?: unknown }) => void,
): void;

function listen(name: string, onMessage: Parameters<typeof addEventListener>[1]): void {
  addEventListener(name, (event) => {
    event.preventDefault();
    onMessage(event);
  });
}

const { stdin, stdout } = Deno;
const encoder = new TextEncoder();

function write(line: string): void {
  for (let bytes = encoder.encode(line); bytes.length > 0; ) bytes = bytes.subarray(stdout.writeSync(bytes));
}

const wire = createWire(write);

const request = Object.freeze(
  Object.fromEntries(
    ['get', 'post', 'put', 'patch', 'delete', 'head', 'fetch'].map((name) => [
      name,
      async (...args: unknown[]) => createResponse(wire, (await wire.call(`request.${name}`, args)) as ResponseData),
    ]),
  ),
);
const pages = createPages(wire, request);

const context = Object.freeze({
  request,
  newPage: async () => pages.page(Number(await wire.call('context.newPage', []))),
  pages: async () => ((await wire.call('context.pages', [])) as number[]).map(pages.page),
  cookies: (...args: unknown[]) => wire.call('context.cookies', args),
  addCookies: (...args: unknown[]) => wire.call('context.addCookies', args),
  clearCookies: () => wire.call('context.clearCookies', []),
  setExtraHTTPHeaders: (...args: unknown[]) => wire.call('context.setExtraHTTPHeaders', args),
});

async function step(name: unknown, body: () => unknown): Promise<unknown> {
  const began = performance.now();
  const end = (passed: boolean) =>
    wire.send({ step: { name: String(name), ms: Math.round(performance.now() - began), passed } });
  try {
    const result = await body();
    end(true);
    return result;
  } catch (error) {
    end(false);
    throw error;
  }
}

function say(...values: unknown[]): void {
  wire.send({ log: values.map((value) => (typeof value === 'string' ? value : show(value))).join(' ') });
}

function show(value: unknown): string {
  if (value instanceof Error) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

let isDone = false;

/** Reports the end of the run; without an error, the run has passed. Only the first call has an effect. */
function done(thrown?: unknown): void {
  if (isDone) return;
  isDone = true;
  if (thrown === undefined) {
    wire.send({ done: {} });
    return;
  }
  const error = originalOf(thrown);
  const kind = error instanceof CheckError ? error.kind : 'script';
  wire.send({ done: { failure: { message: messageOf(error), kind, at: whereInScript(error) } } });
}

/** Returns an error's message without the module's name and the source excerpt. */
function messageOf(error: unknown): string {
  const plain = error instanceof Error && ['Error', ''].includes(error.name) ? error.message : String(error);
  const text =
    error instanceof SyntaxError || /SyntaxError: /.test(plain)
      ? `SyntaxError: ${plain.split('SyntaxError: ').at(-1)}`
      : plain;
  return text.split(/\n {2}\||\n {4}at /)[0]?.replaceAll(/\s*(at )?blob:null\/[0-9a-f-]+(:\d+:\d+)?/g, '') ?? '';
}

/**
 * Matches the import of Playwright at the top of a test file. The import is replaced by spaces, so that positions in
 * the script stay the same. The imported names are predefined.
 */
const PLAYWRIGHT_IMPORT = /^[ \t]*import\s+\{[^}]*\}\s+from\s+['"](@playwright\/test|playwright)['"];?/gm;

async function run(script: string, secrets: Readonly<Record<string, string>>): Promise<void> {
  hideInErrors(secrets);
  const tests: (() => unknown)[] = [];
  const expect = createExpect(wire);
  const page = pages.page(1);
  const tools = Object.freeze({ page, context, expect, request, secrets: Object.freeze({ ...secrets }), step });
  const test = Object.assign(
    (name: unknown, body: (given: typeof tools) => unknown) => void tests.push(() => step(name, () => body(tools))),
    { step },
  );
  const consoleOf = { log: say, info: say, warn: say, error: say, debug: say };
  for (const [name, value] of Object.entries({ ...tools, test, console: Object.freeze(consoleOf) })) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
  const source = script.replaceAll(PLAYWRIGHT_IMPORT, (line) => line.replaceAll(/[^\n]/g, ' '));
  const url = URL.createObjectURL(new Blob([source], { type: 'application/typescript' }));
  const { default: main }: { default?: unknown } = await import(url);
  if (typeof main === 'function') await main(tools);
  for (const body of tests) await body();
}

// Removes the Deno object as a second line of defense. Even with it, the process would have no permissions.
Reflect.deleteProperty(globalThis, 'Deno');
listen('unhandledrejection', (event) => done(event.reason ?? new Error('a promise was rejected with nothing')));
listen('error', (event) => done(event.error ?? new Error('the script failed')));

let rest = '';
const decoder = new TextDecoder();
for await (const bytes of stdin.readable) {
  const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) onMessage(JSON.parse(line));
}

function onMessage(message: ToSandbox): void {
  if ('start' in message)
    run(message.start.script, message.start.secrets).then(
      () => done(),
      (error) => done(error ?? new Error('undefined was thrown')),
    );
  else if ('page' in message) pages.moved(message.page, message.url);
  else wire.receive(message);
}
