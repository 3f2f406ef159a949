/**
 * Tests an installation from inside its network, and exits with 0 if it works. The variable URL is the address of the
 * gateway. The test sends an unknown API key and expects a 401, because the gateway returns a 401 only after identity
 * has looked up the key in its database.
 */
const base = process.env.URL ?? '';
const headers = { authorization: `Bearer tocsin_${'0'.repeat(49)}` };

async function check(path: string, status: number): Promise<void> {
  const response = await fetch(`${base}${path}`, { headers, signal: AbortSignal.timeout(15_000) });
  await response.body?.cancel();
  if (response.status !== status) throw new Error(`GET ${path}: ${response.status}, expected ${status}`);
  process.stdout.write(`GET ${path}: ${status}\n`);
}

try {
  await check('/openapi.yaml', 200);
  await check('/api/v1/me', 401);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

export {};
