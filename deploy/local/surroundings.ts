import { statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { messageOf, Problem } from '@tocsin/dev-servers/problem';

const leastDisk = 300 * 1024 * 1024;

/**
 * Checks the free disk space.
 * @throws Problem if the disk is almost full, because PostgreSQL stops when the disk is full.
 */
export async function checkDisk(dataDir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize >= leastDisk) return;
  const free = Math.floor((bavail * bsize) / 1024 / 1024);
  throw new Problem(`The disk of ${dataDir} is (nearly) full: ${free} MB are free, and Tocsin needs 300 MB to start.`);
}

/**
 * Checks that something listens at TOCSIN_NATS_URL.
 * @throws Problem if the URL is invalid or the server can't be reached.
 */
export async function checkNats(url: string): Promise<undefined> {
  if (!URL.canParse(url))
    throw new Problem('TOCSIN_NATS_URL is no URL: it should be like nats://user:password@host:4222.');
  const { hostname, port } = new URL(url);
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port || 4222), timeout: 5_000 });
    const away = (why: string) => {
      socket.destroy();
      reject(new Problem(`The NATS server at ${hostname}:${port || 4222} (TOCSIN_NATS_URL) can't be reached: ${why}.`));
    };
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', (error) => away(messageOf(error)));
    socket.once('timeout', () => away('no response within 5 s'));
  });
  return undefined;
}
