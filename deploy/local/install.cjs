'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { takeInstallLock } = require('./install-lock.cjs');
const { Problem } = require('./problem.cjs');
const { pnpm, runPnpm } = require('./run-pnpm.cjs');

/**
 * Installs the packages and generates the protobuf code. A step runs only if its result is missing or its inputs have
 * changed. Finished steps are recorded in node_modules/.tocsin, as hashes of their inputs.
 */
async function prepareWorkspace(root) {
  if (outOfDate(root).length === 0) return;
  const release = await takeInstallLock(root);
  try {
    for (const step of steps) {
      if (isUpToDate(root, step)) continue;
      // The hash is calculated before the work, so that the next run repeats the step if a file changes during the
      // work.
      const hash = hashOf(root, step.inputs(root));
      await step.work(root);
      fs.mkdirSync(path.dirname(stampOf(root, step)), { recursive: true });
      fs.writeFileSync(stampOf(root, step), hash);
    }
  } finally {
    release();
  }
}

const steps = [
  { name: 'installed', result: path.join('node_modules', '.modules.yaml'), inputs: installInputs, work: install },
  { name: 'generated', result: path.join('proto', 'gen'), inputs: generateInputs, work: generate },
];

function outOfDate(root) {
  return steps.filter((step) => !isUpToDate(root, step));
}

function isUpToDate(root, step) {
  return fs.existsSync(path.join(root, step.result)) && read(stampOf(root, step)) === hashOf(root, step.inputs(root));
}

function stampOf(root, step) {
  return path.join(root, 'node_modules', '.tocsin', step.name);
}

function install(root) {
  const first = !fs.existsSync(path.join(root, 'node_modules', '.modules.yaml'));
  const title = first ? 'Installing packages (the first time this takes a minute)' : 'Installing changed packages';
  const options = ['--frozen-lockfile', '--prod=false', '--config.confirmModulesPurge=false', '--reporter=append-only'];
  return runPnpm(root, title, ['install', ...options]);
}

function generate(root) {
  return runPnpm(root, 'Generating code from the protobuf files', ['--filter', '@tocsin/proto', 'run', 'generate']);
}

function installInputs(root) {
  const manifests = members(root).map((member) => path.join(member, 'package.json'));
  return ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', '.npmrc', ...manifests];
}

function generateInputs(root) {
  const sources = filesBelow(root, 'proto').filter((file) => /\.proto$|[\\/]buf[^\\/]*\.yaml$/.test(file));
  return ['pnpm-lock.yaml', path.join('proto', 'package.json'), ...sources];
}

/** Returns the folders in pnpm-workspace.yaml, with a trailing `*` expanded. */
function members(root) {
  const list = /^packages:\n((?: +- .*\n)+)/m.exec(read(path.join(root, 'pnpm-workspace.yaml')));
  if (list === null) throw new Problem('pnpm-workspace.yaml has no list of "packages:".');
  const patterns = list[1].match(/[^\s"'-][^\s"']*/g);
  return patterns.flatMap((pattern) => {
    const parent = pattern.replace(/\/\*$/, '');
    return parent === pattern ? [pattern] : namesIn(root, parent).map((name) => path.join(parent, name));
  });
}

function filesBelow(root, folder) {
  return namesIn(root, folder).flatMap((name) => {
    const file = path.join(folder, name);
    if (name === 'node_modules' || name === 'gen') return [];
    return fs.statSync(path.join(root, file)).isDirectory() ? filesBelow(root, file) : [file];
  });
}

function namesIn(root, folder) {
  return fs.readdirSync(path.join(root, folder)).sort();
}

function hashOf(root, files) {
  const hash = crypto.createHash('sha256').update(`${process.platform} ${process.arch} ${pnpm}\n`);
  for (const file of files) hash.update(`${file}\n${read(path.join(root, file))}\n`);
  return hash.digest('hex');
}

/**
 * Reads a file. A missing file counts as empty, because not every folder below packages/ is a member of the workspace.
 */
function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '';
    throw error;
  }
}

module.exports = { prepareWorkspace };
