import { createServer } from 'node:http';

const help = `Usage: npm run --silent demo

A target to monitor and a place for alerts, for trying Tocsin out. Ctrl-C ends it.

  GET  /        200, or 503 while it is broken
  POST /break   breaks it
  POST /repair  repairs it
  POST /hook    receives an alert and prints it
  GET  /hook    the alerts so far, one JSON object a line

  DEMO_PORT     port on 127.0.0.1 (9099)
`;

const port = Number(process.env.DEMO_PORT || 9099);
const alerts: string[] = [];
let broken = false;

const server = createServer(async (request, response) => {
  switch (`${request.method} ${request.url}`) {
    case 'POST /break':
    case 'POST /repair':
      broken = request.url === '/break';
      response.end(broken ? 'broken\n' : 'repaired\n');
      break;
    case 'POST /hook': {
      const alert = Buffer.concat(await request.toArray()).toString();
      alerts.push(alert);
      process.stdout.write(`alert: ${alert}\n`);
      response.end('thank you\n');
      break;
    }
    case 'GET /hook':
      response.end(alerts.map((alert) => `${alert}\n`).join(''));
      break;
    default:
      response.writeHead(broken ? 503 : 200).end(broken ? 'out of order\n' : 'fine\n');
  }
});

if (process.argv.includes('--help')) process.stdout.write(help);
else {
  server.on('error', (error: NodeJS.ErrnoException) => {
    const taken = error.code === 'EADDRINUSE';
    process.stderr.write(
      taken ? `Port ${port} is taken by another program: set DEMO_PORT to a free one.\n` : `${error.message}\n`,
    );
    process.exitCode = 1;
  });
  server.listen(port, '127.0.0.1', () => process.stdout.write(`Demo target on http://127.0.0.1:${port}\n`));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      server.close();
      server.closeAllConnections();
    });
  }
}
