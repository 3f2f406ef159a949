import { appendFileSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rotateLog } from './log-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tocsin-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a log over 10 MB is copied and emptied, and a process that has it open appends to the empty log', () => {
  const path = join(folder, 'gateway.log');
  const log = openSync(path, 'a', 0o600);
  writeSync(log, Buffer.alloc(10 * 1024 * 1024 + 1, 'x'));
  rotateLog(path);
  writeSync(log, 'after\n');
  closeSync(log);
  expect(readFileSync(path, 'utf8')).toBe('after\n');
  expect(statSync(`${path}.1`).size).toBe(10 * 1024 * 1024 + 1);
});

test('a log of 10 MB is not rotated, and a missing log is not an error', () => {
  const path = join(folder, 'gateway.log');
  appendFileSync(path, Buffer.alloc(10 * 1024 * 1024));
  rotateLog(path);
  rotateLog(join(folder, 'none.log'));
  expect(statSync(path).size).toBe(10 * 1024 * 1024);
});
