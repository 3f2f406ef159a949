import type { TestProject } from 'vitest/node';
import { type Installed, install, NAMESPACE } from './installation.ts';
import { kubectl } from './kubernetes.ts';

declare module 'vitest' {
  interface ProvidedContext {
    installed: Installed;
  }
}

/** Installs the product in the cluster, once for all test files. Returns a function that removes it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found');
  const installed = await install();
  process.stdout.write(`every pod was ready ${(installed.readyMs / 1000).toFixed(1)} s after helm install\n`);
  project.provide('installed', installed);
  return async () => {
    await kubectl('delete', 'namespace', NAMESPACE);
  };
}
