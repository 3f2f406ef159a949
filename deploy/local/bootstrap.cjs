'use strict';
/*
 * Runs a TypeScript program of this workspace on a machine that has any Node from 18 on and nothing else:
 *
 *   node deploy/local/bootstrap.cjs <script.ts> [arguments]
 *
 * It installs the packages and generates the protobuf code when either is missing or out of date, picks a Node that
 * runs TypeScript as it is, and hands over: same terminal, same signals, same exit code. Everything it says goes to
 * stderr, so that stdout belongs to the program. Written for old Nodes on purpose; needs no package.
 */
const childProcess = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { prepareWorkspace } = require('./install.cjs');
const { Problem } = require('./problem.cjs');

const root = path.resolve(__dirname, '..', '..');
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

main().catch((error) => {
  process.stderr.write(`${error instanceof Problem ? error.message : error.stack}\n`);
  process.exitCode = 1;
});

async function main() {
  const [script, ...args] = process.argv.slice(2);
  if (script === undefined) throw new Problem('Usage: node deploy/local/bootstrap.cjs <script.ts> [arguments]');
  await prepareWorkspace(root);
  run(nodesToTry(), [path.resolve(root, script), ...args]);
}

/** Paths of Nodes that run TypeScript directly, best first. */
function nodesToTry() {
  const packaged = path.join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  // Older ones lack `await using`, or don't strip types.
  const ownWillDo = Number(process.versions.node.split('.')[0]) >= 24;
  return [...(fs.existsSync(packaged) ? [packaged] : []), ...(ownWillDo ? [process.execPath] : [])];
}

function run([node, ...others], args) {
  if (node === undefined) {
    throw new Problem(
      `Tocsin needs Node 24, this is ${process.versions.node}, and no packaged Node fits ${process.platform} ` +
        `${process.arch}. Please install Node 24 or later (https://nodejs.org).`,
    );
  }
  const binaries = [path.dirname(node), path.join(root, 'node_modules', '.bin'), process.env.PATH];
  const child = childProcess.spawn(node, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: binaries.join(path.delimiter) },
  });
  const forward = (signal) => child.kill(signal);
  for (const signal of forwarded) process.on(signal, forward);
  const watch = whenParentEnds(() => forward('SIGTERM'));
  const letGo = () => {
    clearInterval(watch);
    for (const signal of forwarded) process.removeListener(signal, forward);
  };
  child.on('error', (error) => {
    letGo();
    // The packaged Node needs glibc: without its loader, the machine's own Node may work.
    if (error.code === 'ENOENT' && others.length > 0) return run(others, args);
    process.stderr.write(`${node} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    letGo();
    if (signal === null) process.exitCode = code;
    else process.kill(process.pid, signal);
  });
}

/**
 * npm runs a script through a shell, and the shell dies of a SIGTERM without passing it on. Below npm, a parent that
 * is gone therefore means: stop.
 */
function whenParentEnds(act) {
  const parent = process.ppid;
  const check = () => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    act();
  };
  const watch = process.env.npm_lifecycle_event === undefined ? undefined : setInterval(check, 250);
  return watch;
}
