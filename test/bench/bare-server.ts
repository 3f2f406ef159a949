import { createServer } from 'node:http';

/** Response of the bare server, which is the baseline of the benchmarks. */
export interface BareAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Body in base64. */
  readonly body: string;
}

export interface BareReport {
  readonly port: number;
  readonly cpuSeconds: number;
}

/** Runs the baseline of the benchmarks in a separate process: responds to every request with the same bytes. */
process.once('message', (answer: BareAnswer) => {
  const body = Buffer.from(answer.body, 'base64');
  const headers = { ...answer.headers, 'content-length': body.length };
  const server = createServer((request, response) => {
    const respond = () => response.writeHead(answer.status, headers).end(body);
    if (request.method === 'GET') respond();
    else request.resume().once('end', respond);
  });
  const report = () => {
    const address = server.address();
    const { user, system } = process.cpuUsage();
    const port = typeof address === 'object' && address ? address.port : 0;
    process.send?.({ port, cpuSeconds: (user + system) / 1e6 } satisfies BareReport);
  };
  server.listen(0, '127.0.0.1', report);
  process.on('message', report);
  process.once('disconnect', () => {
    server.close();
    server.closeAllConnections();
  });
});
