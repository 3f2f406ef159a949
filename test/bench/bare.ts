import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BareAnswer, BareReport } from './bare-server.ts';

export interface BareServer extends AsyncDisposable {
  readonly origin: string;
  /** Returns the processor seconds that the server has used. */
  cpuSeconds(): Promise<number>;
}

/** Starts a node:http server in a separate process that responds to every request with the same bytes. */
export async function startBareServer(answer: BareAnswer): Promise<BareServer> {
  const child = fork(join(import.meta.dirname, 'bare-server.ts'));
  const ask = async (message: BareAnswer | 'report'): Promise<BareReport> => {
    child.send(message);
    const [report] = await once(child, 'message');
    return report;
  };
  const { port } = await ask(answer);
  return {
    origin: `http://127.0.0.1:${port}`,
    cpuSeconds: async () => (await ask('report')).cpuSeconds,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
