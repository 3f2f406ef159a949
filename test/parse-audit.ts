/** Outcome of a dependency audit. `unknown`: the output does not show whether there are advisories. */
export interface AuditResult {
  readonly outcome: 'clear' | 'found' | 'unknown';
  readonly text: string;
}

/** Severities that fail the audit. */
const SEVERE = ['high', 'critical'];

interface Audit {
  readonly advisories?: Readonly<Record<string, Advisory>>;
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
}

interface Advisory {
  readonly severity?: string;
  readonly module_name?: string;
  readonly title?: string;
  readonly url?: string;
}

/** Parses the output of `pnpm audit --json`. Without counts, the outcome is `unknown`. */
export function parseAudit(output: { readonly stdout: string; readonly stderr: string }): AuditResult {
  const audit = parse(output.stdout);
  const counts = audit?.metadata?.vulnerabilities;
  if (!counts) {
    const reason = output.stderr.trim().replaceAll(/\s+/g, ' ').slice(-500) || 'the audit printed no result';
    return { outcome: 'unknown', text: `ADVISORIES NOT CHECKED: ${reason}` };
  }
  const summary = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => `${count} ${severity}`)
    .join(', ');
  const lines = Object.values(audit.advisories ?? {}).map(
    ({ severity, module_name: name, title, url }) => `  ${severity}  ${name}: ${title} ${url ?? ''}`,
  );
  const outcome = SEVERE.some((severity) => (counts[severity] ?? 0) > 0) ? 'found' : 'clear';
  return { outcome, text: [`advisories of production dependencies: ${summary || 'none'}`, ...lines].join('\n') };
}

function parse(text: string): Audit | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
