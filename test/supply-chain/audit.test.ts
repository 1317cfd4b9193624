import { expect, it } from 'vitest';
import { judgeAudit } from '../../scripts/audit/judge-audit.ts';

function answer(severities: Record<string, string>): string {
  const count = (wanted: string): number => Object.values(severities).filter((one) => one === wanted).length;
  return JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      Object.entries(severities).map(([name, severity]) => [name, { name, severity, range: '<2.0.0', via: [] }]),
    ),
    metadata: {
      vulnerabilities: { high: count('high'), critical: count('critical'), total: Object.keys(severities).length },
    },
  });
}

it('packages without known weaknesses pass', () => {
  expect(judgeAudit(answer({}))).toMatchObject({ failed: false });
});

it('a low one is told and passes, a high or critical one fails and is named', () => {
  expect(judgeAudit(answer({ left: 'low' }))).toEqual({
    lines: ['npm audit: packages with known weaknesses: 1; high or critical: 0'],
    failed: false,
  });
  const { lines, failed } = judgeAudit(answer({ left: 'low', right: 'critical', wrong: 'high' }));
  expect(lines.slice(1)).toEqual(['  right <2.0.0: critical', '  wrong <2.0.0: high']);
  expect(failed).toBe(true);
});

it.each([
  [
    'refuses',
    '{"message":"405 Method Not Allowed - POST https://registry/","statusCode":405}',
    ': 405 Method Not Allowed',
  ],
  ['is not there', '', ''],
])('a registry that %s is told in one line, and stops nothing', (_, output, reason) => {
  const { lines, failed } = judgeAudit(output);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`skipped, since the registry does not answer${reason}`);
  expect(failed).toBe(false);
});
