import { createServer } from 'node:http';

/** Response of the baseline. */
export interface BareAnswer {
  readonly status: number;
  readonly body: string;
}

/** The baseline of the API benchmark, in a separate process: responds to every request with the same bytes. */
process.once('message', ({ status, body }: BareAnswer) => {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      response.writeHead(status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' && address ? address.port : 0);
  });
  process.once('disconnect', () => {
    server.close();
    server.closeAllConnections();
  });
});
