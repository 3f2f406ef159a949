import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isScalar, parse, parseDocument } from 'yaml';

/**
 * Writes the README of each Helm chart from its Chart.yaml and its values.yaml. The comments in values.yaml say what
 * each value is for.
 */

const charts = join(import.meta.dirname, '..', 'deploy', 'charts');

export const CHARTS = ['tocsin', 'tocsin-region'] as const;

const INSTALLATION: Readonly<Record<(typeof CHARTS)[number], string>> = {
  tocsin: `\`\`\`sh
helm install tocsin deploy/charts/tocsin --set baseUrl=https://status.example.com --set existingSecret=tocsin \\
  --set global.image.registry=registry.example
\`\`\`

[Tocsin on Kubernetes](../../../docs/operations/kubernetes.md) says how to make the Secret, what to set in production, and what was tried. For a trial with PostgreSQL and NATS on one small cluster, see the head of
\`quickstart-values.yaml\`. \`ci/\` has examples of values.`,
  'tocsin-region': `\`\`\`sh
helm install eu deploy/charts/tocsin-region --set region=eu,existingSecret=tocsin-region,baseUrl=https://status.example.com \\
  --set identityUrl=http://identity.centre:7101,monitorUrl=http://monitor.centre:7102 \\
  --set global.image.registry=registry.example
\`\`\`

[Regions](../../../docs/operations/regions.md) says how to make the Secret, and how to connect through a NATS leaf node (\`leaf-node-values.yaml\`).`,
};

/** Maps that are shown as one value, because they are passed to Kubernetes as they are. */
const OPAQUE = ['resources', 'podSecurityContext', 'securityContext', 'labels', 'triggers'];

export const readmeOf = (chart: string) => join(charts, chart, 'README.md');

/** Returns the README of a chart as Markdown. */
export async function chartReadme(chart: (typeof CHARTS)[number]): Promise<string> {
  const { description, version, kubeVersion } = parse(await readFile(join(charts, chart, 'Chart.yaml'), 'utf8'));
  const { contents } = parseDocument(await readFile(join(charts, chart, 'values.yaml'), 'utf8'));
  return `# ${chart} ${version}

${description}

Kubernetes ${kubeVersion.replace('-0', '')}, Helm 3 or 4. Creates nothing outside of its namespace.

${INSTALLATION[chart]}

## Values

This table is generated from \`values.yaml\` by \`npm run chart-readmes\`; \`values.schema.json\` refuses everything else.

| Value | Default | Meaning |
| --- | --- | --- |
${rows(contents, '').join('\n')}
`;
}

/**
 * Returns a row for each value below a node. `path` is the prefix of their names: empty, or the path of the node with a
 * final dot.
 */
function rows(node: unknown, path: string): string[] {
  if (!isMap(node)) return [];
  return node.items.flatMap(({ key, value }, index) => {
    if (!isScalar(key)) return [];
    const name = `${path}${key.value}`;
    // The parser attaches the comment on the first value of a map to the map.
    const comment = (index === 0 ? node.commentBefore : undefined) ?? key.commentBefore ?? '';
    const paragraph = comment.split('\n\n').at(-1) ?? '';
    const meaning = paragraph.replaceAll(/\s+/g, ' ').trim().replaceAll('|', '\\|');
    const isParent = isMap(value) && value.items.length > 0 && !OPAQUE.includes(String(key.value));
    const json = isParent ? '' : `\`${JSON.stringify((value as { toJSON(): unknown }).toJSON())}\``;
    if (!isParent) return [`| \`${name}\` | ${json} | ${meaning} |`];
    return [...(meaning ? [`| \`${name}\` | | ${meaning} |`] : []), ...rows(value, `${name}.`)];
  });
}

if (process.argv[1] === import.meta.filename)
  for (const chart of CHARTS) await writeFile(readmeOf(chart), await chartReadme(chart));
