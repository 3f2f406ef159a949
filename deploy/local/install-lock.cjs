'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Problem } = require('./problem.cjs');

/**
 * Waits until no other process is installing in this folder. Returns the function that releases the lock. The lock of a
 * dead process counts as free.
 */
async function takeInstallLock(root) {
  const lockFile = path.join(root, '.tmp', 'install.lock');
  const draft = `${lockFile}.${process.pid}`;
  const mine = `${process.pid} ${os.hostname()} ${Date.now()}`;
  try {
    fs.mkdirSync(path.dirname(lockFile), { recursive: true });
    fs.writeFileSync(draft, mine);
  } catch (error) {
    if (error.code !== 'EACCES' && error.code !== 'EROFS') throw error;
    throw new Problem(`Packages have to be installed, but this user may not write in ${root}.`);
  }
  try {
    for (let announced = false; ; announced = true) {
      const holder = tryToTake(lockFile, draft);
      if (holder === null) return () => release(lockFile, mine);
      if (!isAlive(Number(holder.split(' ')[0]))) removeStaleLock(lockFile, holder);
      else {
        if (!announced) process.stderr.write('Another process is preparing this folder: waiting for it.\n');
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/**
 * Tries to acquire the lock. Returns null on success, otherwise the holder of the lock. Uses a link because a link is
 * created together with its content, whereas a file is opened before it is written.
 */
function tryToTake(lockFile, draft) {
  try {
    fs.linkSync(draft, lockFile);
    return null;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return read(lockFile);
  }
}

function release(lockFile, mine) {
  if (read(lockFile) === mine) fs.unlinkSync(lockFile);
}

/**
 * Removes a stale lock. Another process may have removed the same lock and acquired a new one in the meantime. The lock
 * is therefore renamed first, and restored if it is a new one.
 */
function removeStaleLock(lockFile, stale) {
  const aside = `${lockFile}.${process.pid}.stale`;
  try {
    fs.renameSync(lockFile, aside);
    if (read(aside) !== stale) fs.linkSync(aside, lockFile);
    fs.unlinkSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

module.exports = { takeInstallLock };
