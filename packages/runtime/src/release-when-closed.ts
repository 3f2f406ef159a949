import type { Writable } from 'node:stream';

/**
 * Removes the listeners of a stream when it has closed, and ignores its errors after that. Node.js streams that can be
 * written, and thus sockets, remain in memory until a full garbage collection, together with all that their listeners
 * refer to: V8 allocates the function in `this.onwrite = …` of such a stream in the old generation, and a collection of
 * the young generation takes everything that the old generation refers to as used.
 */
export function releaseWhenClosed(stream: Writable): void {
  // Without a listener, an error would end the process.
  stream.on('error', ignore);
  stream.once('close', release);
}

function release(this: Writable): void {
  this.removeAllListeners();
  this.on('error', ignore);
}

function ignore(): void {}
