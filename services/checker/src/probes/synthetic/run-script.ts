import { askNameServers, createNetguard, parseAllowedTargets } from '@tocsin/netguard';
import { createMask } from '../../domain/mask-secrets.ts';
import { SCRIPT_LIMITS, type ScriptLocation } from '../../domain/script-run.ts';
import { runCall } from './bridge.ts';
import { type OpenBrowser, openBrowser } from './browser.ts';
import { startGuardedProxy } from './guarded-proxy.ts';
import { OpenPages } from './open-pages.ts';
import type { FromSandbox, RunEnd, RunEvent, RunOrder } from './protocol.ts';
import { startSandbox } from './sandbox.ts';
import { takeScreenshot } from './screenshot.ts';

const MAX_CALLS_AT_ONCE = 50;
const MAX_CALLS = 10_000;
/** Start of the message with which Chromium exits if it can't use its sandbox. */
const NO_SANDBOX = 'No usable sandbox';

type Ending = Omit<RunEnd, 'ms' | 'screenshot' | 'noSandbox'>;

/** Opens a browser, runs a script in it, and returns the result. Never throws. */
export async function runScript(order: RunOrder, report: (event: RunEvent) => Promise<void>): Promise<RunEnd> {
  await using stack = new AsyncDisposableStack();
  const resolve = askNameServers({ servers: order.nameServers });
  const closedPorts = new Set(order.closedPorts);
  const guard = createNetguard({ allow: parseAllowedTargets(order.allowPrivateTargets), closedPorts, resolve });
  let opened: OpenBrowser;
  const proxy = stack.use(await startGuardedProxy(guard));
  try {
    opened = stack.use(
      await openBrowser({ executable: order.chromium, sandbox: order.chromiumSandbox, proxyPort: proxy.port }),
    );
  } catch (error) {
    // The script has not started, so that this error contains no text of a tenant.
    const line = firstLine(error);
    const noSandbox = line.startsWith(NO_SANDBOX) || undefined;
    return { outcome: 'unknown', error: `the browser did not start: ${line}`, ms: 0, noSandbox };
  }
  const { browser, context } = opened;
  const secrets = new Map(Object.entries(order.secrets));
  const mask = createMask(secrets);
  const readable = (text: string, length: number) => printable(mask(text, length)).toWellFormed();
  const ending = Promise.withResolvers<Ending>();
  const end = (outcome: Ending['outcome'], words: string, at?: ScriptLocation) =>
    ending.resolve({ outcome, error: readable(words, SCRIPT_LIMITS.errorLength), at });

  const pages = new OpenPages(context, {
    onMove(page, url) {
      sandbox.send({ page, url });
      if (!/^(https?:|about:|data:|blob:|chrome-error:|$)/.test(url))
        end('fail', 'the page navigated to a URL that is not allowed');
    },
    onTooMany: (most) => end('fail', `the pages of the script opened more than ${most} pages`),
  });
  // This is a set instead of a map by id, because the script chooses the ids and may use an id twice.
  const pending = new Set<{ readonly method: string; readonly at: ScriptLocation | undefined }>();
  const kept = { steps: 0, log: 0, logLength: 0, calls: 0, isFull: false };

  function onMessage(message: FromSandbox): void {
    if ('done' in message) {
      const { failure } = message.done;
      const outcome = { script: 'fail', network: 'error', browser: 'unknown' } as const;
      if (failure) end(outcome[failure.kind], failure.message, failure.at);
      else end('pass', '');
    } else if ('log' in message) {
      if (kept.isFull) return;
      const line = readable(message.log, SCRIPT_LIMITS.logLineLength);
      kept.log += 1;
      kept.logLength += line.length;
      kept.isFull = kept.log > SCRIPT_LIMITS.logLines || kept.logLength > SCRIPT_LIMITS.logLength;
      void report({ log: kept.isFull ? '… the rest of the log was dropped' : line });
    } else if ('step' in message) {
      const { name, ms, passed } = message.step;
      kept.steps += 1;
      if (kept.steps > SCRIPT_LIMITS.steps) return;
      void report({ step: { name: readable(name, SCRIPT_LIMITS.stepNameLength), ms, passed } });
    } else void response(message);
  }

  async function response(question: Extract<FromSandbox, { call: number }>): Promise<void> {
    const { call, method, target, chain, args, at } = question;
    kept.calls += 1;
    if (kept.calls > MAX_CALLS) return end('fail', `the script made more than ${MAX_CALLS} calls`, at);
    if (pending.size >= MAX_CALLS_AT_ONCE) {
      return end('fail', `the script had more than ${MAX_CALLS_AT_ONCE} calls under way at once`, at);
    }
    const waiting = { method: method.slice(0, 60), at };
    pending.add(waiting);
    const deps = { context, pages, guard, whyUnreachable: proxy.whyUnreachable };
    const result = await runCall(deps, { method, target, chain, args });
    pending.delete(waiting);
    sandbox.send({ reply: call, ...result });
  }

  const sandbox = stack.use(startSandbox({ deno: order.deno, onMessage: onMessage, onEnd: (why) => end('fail', why) }));
  browser.once('disconnected', () => end('unknown', 'the browser ended in the middle of the check'));
  try {
    await context.newPage();
  } catch (error) {
    return { outcome: 'unknown', error: `the browser opened no page: ${firstLine(error)}`, ms: 0 };
  }

  const began = performance.now();
  const timer = setTimeout(() => {
    const last = [...pending].at(-1);
    end('timeout', `not done within ${order.timeoutMs} ms${last ? `, waiting for ${last.method}` : ''}`, last?.at);
  }, order.timeoutMs);
  stack.defer(() => clearTimeout(timer));
  sandbox.send({ start: { script: order.script, secrets: order.secrets } });
  await report({ started: true });

  const ended = await ending.promise;
  const ms = Math.round((performance.now() - began) * 100) / 100;
  sandbox[Symbol.dispose]();
  const isWorthAPicture = ended.outcome !== 'pass' && ended.outcome !== 'unknown';
  const screenshot = isWorthAPicture ? await takeScreenshot(pages.current, Object.values(order.secrets)) : undefined;
  return { ...ended, ms, screenshot };
}

/** Replaces control characters, which some databases and terminals do not accept. */
function printable(words: string): string {
  return words.replaceAll(/[^\P{Cc}\n\t]/gu, '\u{fffd}');
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // Playwright's message may contain Chromium's own message, which states the cause.
  const [, why] = /(No usable sandbox[^\n]*|error while loading shared libraries[^\n]*)/.exec(text) ?? [];
  return (why ?? text.split('\n')[0] ?? '').slice(0, 300);
}
