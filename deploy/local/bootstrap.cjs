'use strict';
/*
 * Runs a TypeScript program of this workspace. The machine only needs Node, version 18 or later:
 *
 *   node deploy/local/bootstrap.cjs <script.ts> [arguments]
 *
 * Installs the packages and generates the protobuf code if either is missing or out of date. Then runs the program with
 * a Node that runs TypeScript directly. The program has the same terminal, gets the same signals, and determines the
 * exit code. All messages of this file go to stderr, because stdout belongs to the program. This file is written for
 * old versions of Node and needs no packages.
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

/** Returns the paths of Node executables that run TypeScript directly, the preferred one first. */
function nodesToTry() {
  const packaged = path.join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  // Older versions of Node lack `await using` or don't strip types.
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
    env: {
      // Node stores the compiled sources, so that later runs take less time and memory.
      NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'tocsin', 'compiled'),
      ...process.env,
      PATH: binaries.join(path.delimiter),
    },
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
    // The packaged Node needs glibc. If the loader of glibc is missing, the machine's own Node may work.
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
 * Calls `act` when the parent process has ended. Below npm, this means that this process must stop too, because npm
 * runs scripts through a shell that ends on SIGTERM without forwarding it.
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
