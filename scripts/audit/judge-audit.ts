import * as z from 'zod';

/** What `npm audit --json` prints, as far as we read it. */
const auditSchema = z.object({
  metadata: z.object({ vulnerabilities: z.object({ high: z.int(), critical: z.int(), total: z.int() }) }),
  vulnerabilities: z.record(z.string(), z.object({ name: z.string(), severity: z.string(), range: z.string() })),
});

export interface AuditVerdict {
  /** What to print, a line each. */
  lines: string[];
  failed: boolean;
}

/**
 * Whether the packages may be used. If the registry has no list of weaknesses, or cannot be reached, the check does not
 * fail.
 *
 * @param output of `npm audit --json`
 */
export function judgeAudit(output: string): AuditVerdict {
  const answer = auditSchema.safeParse(parsed(output)).data;
  if (answer === undefined)
    return { lines: [`npm audit: skipped, since the registry does not answer${why(output)}`], failed: false };
  const { high, critical, total } = answer.metadata.vulnerabilities;
  const grave = Object.values(answer.vulnerabilities).filter(({ severity }) => /^(?:high|critical)$/.test(severity));
  return {
    lines: [
      `npm audit: packages with known weaknesses: ${total}; high or critical: ${high + critical}`,
      ...grave.map(({ name, severity, range }) => `  ${name} ${range}: ${severity}`),
    ],
    failed: high + critical > 0,
  };
}

function why(output: string): string {
  const { message } = z.object({ message: z.string() }).safeParse(parsed(output)).data ?? {};
  return message === undefined ? '' : `: ${message}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
