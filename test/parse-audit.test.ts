import { expect, test } from 'vitest';
import { parseAudit } from './parse-audit.ts';

const none = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };

function audit(counts: Partial<typeof none>, advisories = {}) {
  return { stdout: JSON.stringify({ advisories, metadata: { vulnerabilities: { ...none, ...counts } } }), stderr: '' };
}

test('the outcome is "clear" if there are no high or critical advisories, and less severe advisories are listed', () => {
  expect(parseAudit(audit({}))).toEqual({
    outcome: 'clear',
    text: 'advisories of production dependencies: none',
  });
  const advisory = { severity: 'moderate', module_name: 'left-pad', title: 'Pads', url: 'https://example.com/1' };
  expect(parseAudit(audit({ moderate: 1 }, { 1: advisory }))).toEqual({
    outcome: 'clear',
    text: 'advisories of production dependencies: 1 moderate\n  moderate  left-pad: Pads https://example.com/1',
  });
});

test.each(['high', 'critical'])('the outcome is "found" if there is a %s advisory', (severity) => {
  expect(parseAudit(audit({ [severity]: 1 })).outcome).toBe('found');
});

test.each([
  ['', 'the registry responded with 405'],
  ['', ''],
  ['{}', ''],
  ['{"error":{"code":"ERR_PNPM_AUDIT_BAD_RESPONSE"}}', ''],
  ['null', ''],
])('the outcome is "unknown" with a warning for the output %j and the error %j', (stdout, stderr) => {
  const { outcome, text } = parseAudit({ stdout, stderr });
  expect(outcome).toBe('unknown');
  expect(text).toContain('ADVISORIES NOT CHECKED');
  expect(text).toContain(stderr);
});
