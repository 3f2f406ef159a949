import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:net';
import { readJson, writeJson } from './files.ts';
import { codeOf } from './problem.ts';

// Chosen ports are below the range of ephemeral ports, so that no outgoing connection can use a stored port.
const firstPort = 20_000;
const lastPort = 31_999;

/** Returns whether a server can listen on this port of the loopback addresses now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen('127.0.0.1', port)) && (await canListen('::1', port));
}

/** Returns a free port and reserves it until this process ends, so that no other caller on this machine gets it. */
export async function pickFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, lastPort + 1);
    if (!reserved.has(port) && (await reserve(port)) && (await isPortFree(port))) return port;
  }
}

/**
 * Returns a port for each name. The ports are stored in `file`, so that later calls return the same ports unless
 * another program uses them.
 */
export async function rememberPorts<Name extends string>(
  file: string,
  names: readonly Name[],
): Promise<Record<Name, number>> {
  const remembered = (await readJson(file)) ?? {};
  const used = new Set<number>();
  const entries: [Name, number][] = [];
  for (const name of names) {
    const before = remembered[name];
    const keep =
      typeof before === 'number' && !used.has(before) && (await reserve(before)) && (await isPortFree(before));
    const port = keep ? before : await pickFreePort();
    used.add(port);
    entries.push([name, port]);
  }
  const ports = Object.fromEntries(entries) as Record<Name, number>;
  await writeJson(file, ports, 0o644);
  return ports;
}

const reserved = new Map<number, Socket>();

/**
 * Reserves a TCP port by binding the UDP port with the same number. The kernel releases the UDP port when the process
 * ends. Returns false if another process has bound it.
 */
function reserve(port: number): Promise<boolean> {
  if (reserved.has(port)) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.unref();
    socket.once('error', (error) => {
      if (codeOf(error) === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    socket.bind({ address: '127.0.0.1', port, exclusive: true }, () => {
      reserved.set(port, socket);
      resolve(true);
    });
  });
}

function canListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      const code = codeOf(error);
      if (code === 'EADDRINUSE' || code === 'EACCES') resolve(false);
      // Without IPv6 on this machine, the port can't be in use at an IPv6 address.
      else if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') resolve(true);
      else reject(error);
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
