/** Allowed imports of the files in a folder. */
export interface ImportRule {
  /** Folder or file, relative to the root; `*` matches one name. The rule with the longest match applies to a file. */
  readonly files: string;
  /** Folders and files from which relative imports are allowed. The paths are relative to `within`. */
  readonly own: readonly string[];
  /** Base folder of `own`. Relative imports must stay inside it. */
  readonly within: string;
  /** Packages of this workspace that may be imported; `*` matches one name. */
  readonly workspace: readonly string[];
  /** Whether Node's modules and npm packages may be imported. */
  readonly external: boolean;
}

/**
 * Packages that other parts of the workspace may import. None of them depends on services, the gateway, the local
 * installation or test code.
 */
const libraries = [
  '@tocsin/work-queue',
  '@tocsin/database',
  '@tocsin/enums',
  '@tocsin/errors',
  '@tocsin/html',
  '@tocsin/netguard',
  '@tocsin/outbox',
  '@tocsin/paging',
  '@tocsin/proto',
  '@tocsin/api-json',
  '@tocsin/runtime',
  '@tocsin/service',
  '@tocsin/text',
  '@tocsin/vault',
];

function inService(layer: string, own: string[], ...packages: string[]): ImportRule {
  const workspace = [
    '@tocsin/enums',
    '@tocsin/errors',
    '@tocsin/paging',
    '@tocsin/runtime',
    '@tocsin/text',
    ...packages.map((name) => `@tocsin/${name}`),
  ];
  return { files: `services/*/src/${layer}`, within: 'services/*/src', own, workspace, external: true };
}

/** Allowed imports. Test code may import anything. The reasons are in docs/architecture.md. */
export const importRules: readonly ImportRule[] = [
  {
    files: 'services/*/src/domain',
    within: 'services/*/src',
    own: ['domain'],
    workspace: ['@tocsin/enums', '@tocsin/errors', '@tocsin/paging', '@tocsin/text'],
    external: false,
  },
  inService('storage', ['storage', 'domain'], 'database', 'outbox'),
  // The layer wire converts between the domain and protobuf messages. All adapters import it.
  inService('wire', ['wire', 'domain'], 'proto'),
  inService('app', ['app', 'domain', 'storage', 'events'], 'database', 'outbox', 'vault'),
  inService('rpc', ['rpc', 'app', 'domain', 'wire'], 'proto'),
  inService('web', ['web', 'app', 'domain'], 'html', 'proto'),
  inService(
    'consumers',
    ['consumers', 'app', 'domain', 'wire'],
    'proto',
    'database',
    'outbox',
    'work-queue',
    'api-json',
  ),
  // The layer app imports the layer events, so events must not import app.
  inService('events', ['events', 'domain', 'wire'], 'proto', 'outbox'),
  inService('clients', ['clients', 'app/ports.ts', 'domain', 'wire'], 'proto', 'netguard', 'work-queue'),
  // The folder probes contains one folder for each check type.
  inService('probes', ['probes', 'app/ports.ts', 'domain'], 'netguard'),
  // Channels are adapters, with one folder for each kind of alert channel.
  inService('channels', ['channels', 'app/ports.ts', 'domain'], 'netguard', 'html'),
  // main.ts, config.ts and the composition root may import everything of their service. Every other folder needs a
  // rule.
  { files: 'services/*/src/*.ts', within: 'services/*/src', own: [''], workspace: libraries, external: true },
  // The gateway has no business rules, and its database contains only data that its replicas share.
  {
    files: 'gateway/src',
    within: 'gateway/src',
    own: [''],
    workspace: [
      '@tocsin/enums',
      '@tocsin/errors',
      '@tocsin/html',
      '@tocsin/paging',
      '@tocsin/proto',
      '@tocsin/api-json',
      '@tocsin/runtime',
      '@tocsin/text',
    ],
    external: true,
  },
  {
    files: 'gateway/src/storage',
    within: 'gateway/src',
    own: ['storage'],
    workspace: ['@tocsin/database', '@tocsin/vault'],
    external: true,
  },
  { files: 'gateway/src/*.ts', within: 'gateway/src', own: [''], workspace: libraries, external: true },
  // The command line uses only the public API.
  { files: 'cli/src', within: 'cli', own: ['src', 'package.json'], workspace: [], external: true },
  { files: 'packages/*/src', within: 'packages/*/src', own: [''], workspace: libraries, external: true },
  {
    files: 'packages/testing/src',
    within: 'packages/testing/src',
    own: [''],
    workspace: [...libraries, '@tocsin/dev-servers'],
    external: true,
  },
  { files: 'proto', within: 'proto', own: [''], workspace: [], external: true },
];
