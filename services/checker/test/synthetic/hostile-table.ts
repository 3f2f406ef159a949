/** Returns a script that runs code in a worker, because only workers have the `Deno` object. */
export function inWorker(code: string): string {
  const program = `(async () => { try { postMessage(String(await (${code}))) } catch (e) { postMessage(e.message) } })()`;
  return `const code = ${JSON.stringify(program)};
const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' });
throw new Error(await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); }));`;
}

/** Hostile scripts with their exact results. SITE is a page that scripts may visit. INSIDE is a forbidden address. */
export const hostileScripts: [does: string, script: string, outcome: string, error: string][] = [
  [
    'reads a file',
    `await Deno.readTextFile('/etc/passwd')`,
    'fail',
    'ReferenceError: Deno is not defined (line 1, column 1)',
  ],
  [
    'reads a file with the API of Node',
    `import { readFileSync } from 'node:fs';\nconsole.log(readFileSync('/etc/passwd', 'utf8'));`,
    'fail',
    'ReferenceError: Deno is not defined',
  ],
  [
    'reads a file in a worker',
    inWorker(`Deno.readTextFile('/etc/passwd')`),
    'fail',
    'Requires read access to "/etc/passwd"',
  ],
  [
    'reads its own program in a worker',
    inWorker(`Deno.readTextFile('${import.meta.filename}')`),
    'fail',
    `Requires read access to "${import.meta.filename}"`,
  ],
  [
    'writes a file in a worker',
    inWorker(`Deno.writeTextFile('/tmp/tocsin-hostile', 'x')`),
    'fail',
    'Requires write access to "/tmp/tocsin-hostile"',
  ],
  ['reads the environment in a worker', inWorker(`Deno.env.get('PATH')`), 'fail', 'Requires env access to "PATH"'],
  [
    'starts a process in a worker',
    inWorker(`new Deno.Command('/bin/id').output()`),
    'fail',
    'Requires run access to "/bin/id"',
  ],
  [
    'forks in a worker, which needs access to the environment first',
    inWorker(`import('node:child_process').then(({ fork }) => fork('/tmp/x.js'))`),
    'fail',
    'Requires env access',
  ],
  [
    'connects in a worker',
    inWorker(`Deno.connect({ hostname: '169.254.169.254', port: 80 })`),
    'fail',
    'Requires net access to "169.254.169.254:80"',
  ],
  ['kills another process in a worker', inWorker(`Deno.kill(1)`), 'fail', 'Requires run access'],
  [
    'fetches from loopback',
    `await fetch('http://INSIDE/sandbox')`,
    'fail',
    'NotCapable: Requires net access to "INSIDE", run again with the --allow-net flag (line 1, column 7)',
  ],
  [
    'fetches the metadata of a cloud provider',
    `await fetch('http://169.254.169.254/latest/meta-data/')`,
    'fail',
    'NotCapable: Requires net access to "169.254.169.254:80", run again with the --allow-net flag (line 1, column 7)',
  ],
  [
    'sends an API request to a private address',
    `await request.get('http://169.254.169.254/latest/meta-data/')`,
    'fail',
    'request.get: 169.254.169.254 is not a public address; the operator of this server can open ranges with TOCSIN_ALLOW_PRIVATE_TARGETS (line 1, column 15)',
  ],
  [
    'imports a file',
    `import 'file:///etc/passwd';`,
    'fail',
    'TypeError: Requires read access to "/etc/passwd", run again with the --allow-read flag (line 1, column 8)',
  ],
  [
    'imports from npm',
    `import 'npm:left-pad';`,
    'fail',
    'TypeError: npm specifiers were requested; but --no-npm is specified (line 1, column 8)',
  ],
  [
    'imports from the web',
    `await import('https://example.com/x.js');`,
    'fail',
    'TypeError: Requires import access to "example.com:443", run again with the --allow-import flag (line 1, column 1)',
  ],
  ['evaluates a string as code', `new Function('return Deno.pid')()`, 'fail', 'ReferenceError: Deno is not defined'],
  [
    'passes objects with getters and toJSON to the host',
    `await page.goto('SITE/');\nawait page.getByText('Hello').click({ get timeout() { return 1e3; }, toJSON: undefined, path: '/etc/passwd' });`,
    'fail',
    'locator.click has no path here: there is timeout, force, trial, noWaitAfter, position, modifiers, delay, clickCount, button (line 2, column 31)',
  ],
  [
    'opens a file in a page',
    `await page.goto('file:///etc/passwd')`,
    'fail',
    `page.goto can't be opened: "file:///etc/passwd" is not an http or https URL (line 1, column 12)`,
  ],
  [
    'opens an internal page of the browser',
    `await page.goto('chrome://version')`,
    'fail',
    `page.goto can't be opened: "chrome://version" is not an http or https URL (line 1, column 12)`,
  ],
  [
    'opens a private address in a page',
    `await page.goto('http://INSIDE/page')`,
    'error',
    'page.goto could not load http://INSIDE/page: 127.0.0.2 is not a public address; the operator of this server can open ranges with TOCSIN_ALLOW_PRIVATE_TARGETS (line 1, column 12)',
  ],
  [
    'is redirected to a private address',
    `await page.goto('SITE/away')`,
    'error',
    'page.goto could not load SITE/away: net::ERR_EMPTY_RESPONSE (line 1, column 12)',
  ],
  [
    'opens one page after another',
    'for (;;) await context.newPage();',
    'fail',
    'context.newPage opens one too many: a check has at most 5 pages (line 1, column 24)',
  ],
  [
    'opens more pages at once than the limit',
    'await Promise.all(Array.from({ length: 40 }, () => context.newPage()));',
    'fail',
    'context.newPage opens one too many: a check has at most 5 pages (line 1, column 60)',
  ],
  [
    'makes more concurrent calls than the limit',
    'await Promise.all(Array.from({ length: 300 }, () => page.waitForTimeout(9000)));',
    'fail',
    'the script had more than 50 calls under way at once (line 1, column 58)',
  ],
  [
    'fills the heap of its runtime',
    'const all = []; for (;;) all.push(new Array(1e5).fill(all.length));',
    'fail',
    'the script ended its process, or ran out of memory',
  ],
  [
    'fills memory outside the heap',
    'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));',
    'fail',
    'the script used more than 320 MB of memory',
  ],
  [
    'ends its process',
    'close(); await new Promise(() => {});',
    'fail',
    'the script ended its process, or ran out of memory',
  ],
  [
    'writes endless output',
    inWorker(`(() => { for (;;) Deno.stdout.writeSync(new Uint8Array(1e6).fill(65)); })()`),
    'fail',
    'the script said more than a check may',
  ],
];
