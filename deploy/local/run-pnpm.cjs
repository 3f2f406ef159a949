'use strict';
const childProcess = require('node:child_process');
const { Problem } = require('./problem.cjs');

const pnpm = 'pnpm@12.21.0';

/** Hides npm's notices about its configuration and about newer versions. */
const quiet = { npm_config_loglevel: 'error', npm_config_update_notifier: 'false' };

/**
 * Options that reduce npm's retries. By default, npm retries for more than a minute before it reports that there is no
 * network.
 */
const impatience = { npm_config_fetch_retry_mintimeout: '1000', npm_config_fetch_retry_maxtimeout: '5000' };

/** Known problems, detected in the output of npm and pnpm. */
const explanations = [
  [/ENOSPC|No space left/i, () => 'Preparing the workspace failed: the disk is full.'],
  [/EACCES|Permission denied/i, (root) => `Preparing the workspace failed: this user may not write in ${root}.`],
  [
    /OUTDATED_LOCKFILE/,
    () => 'pnpm-lock.yaml does not belong to the package.json files: run `pnpm install` and commit what it writes.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|META_FETCH_FAIL|dns error|error sending request/i,
    () =>
      'The packages could not be installed: the npm registry could not be reached. ' +
      'Check the network (and proxy and registry in ~/.npmrc), then try again.',
  ],
];

/** Runs the workspace's version of pnpm, which npm downloads. Prints its progress below a title on stderr. */
function runPnpm(root, title, args) {
  if (Number(process.versions.node.split('.')[0]) < 18) {
    throw new Problem(`Node ${process.versions.node} is too old to install the packages: any from 18 on will do.`);
  }
  const progress = startProgress(title);
  const child = childProcess.spawn('npm', ['exec', '--yes', `--package=${pnpm}`, '--', 'pnpm', ...args], {
    cwd: root,
    env: { ...impatience, ...process.env, ...quiet },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output = (output + chunk).slice(-20000);
      const counts = /.*Progress: ([^\n]*)/s.exec(output);
      if (counts !== null) progress.detail(counts[1].replace(/, done$/, ''));
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      progress.end();
      reject(new Problem(`npm could not be run (${error.message}). It comes with Node: is it on the PATH?`));
    });
    child.on('close', (code, signal) => {
      progress.end();
      if (code === 0) resolve();
      else reject(new Problem(explain(root, output, signal || `exit code ${code}`)));
    });
  });
}

function explain(root, output, ending) {
  const known = explanations.find(([pattern]) => pattern.test(output));
  const sentence = known === undefined ? `Preparing the workspace failed (${ending}).` : known[1](root);
  return `${output.trim().split('\n').slice(-20).join('\n')}\n\n${sentence}`;
}

/** Shows progress: on a terminal as one line that is updated, elsewhere as a new line from time to time. */
function startProgress(title) {
  const began = Date.now();
  const terminal = process.stderr.isTTY === true;
  let detail = '';
  const show = () => {
    const seconds = `${Math.round((Date.now() - began) / 1000)} s`;
    const line = `${title}: ${detail === '' ? seconds : `${seconds}, ${detail}`}`;
    process.stderr.write(terminal ? `\r\u001b[K${line.slice(0, (process.stderr.columns || 80) - 1)}` : `${line}\n`);
  };
  process.stderr.write(terminal ? title : `${title} …\n`);
  const timer = setInterval(show, terminal ? 250 : 10000);
  return {
    detail(text) {
      detail = text;
    },
    end() {
      clearInterval(timer);
      show();
      if (terminal) process.stderr.write('\n');
    },
  };
}

module.exports = { pnpm, runPnpm };
