import { createServer } from 'node:http';

/** The baseline, in a process of its own: answers every request with the bytes that it was started with. */
const [status = '200', body = ''] = process.argv.slice(2);
const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(Number(status), {
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
