import * as z from 'zod';

/** What a tool found about one resource of a template. */
export interface Finding {
  rule: string;
  /** Type of the resource; `template` if the finding is about no single one. */
  type: string;
  /** Its logical id, without the hash of the CDK. */
  id: string;
}

export const tools = ['checkov', 'guard'] as const;
export type PolicyTool = (typeof tools)[number];

const rulesSchema = z.array(z.string()).min(1).optional();

/** scripts/templates/accepted-findings.yaml */
export const acceptedSchema = z.array(
  z.strictObject({
    /** Rules of each tool that find this. */
    checkov: rulesSchema,
    guard: rulesSchema,
    /** Types of resources, or single resources as `TYPE ID`. */
    on: z.array(z.string()).min(1),
    why: z.string().min(10),
  }),
);

export type Accepted = z.output<typeof acceptedSchema>;

/**
 * The findings of a tool that are not accepted, and the acceptances that match no finding, as a line each.
 *
 * @param findings in all templates together
 */
export function judgeFindings(tool: PolicyTool, findings: readonly Finding[], accepted: Accepted): string[] {
  const acceptances = accepted.flatMap((entry) =>
    (entry[tool] ?? []).flatMap((rule) => entry.on.map((on) => ({ rule, on }))),
  );
  const matches = (finding: Finding, { rule, on }: { rule: string; on: string }) =>
    finding.rule === rule && (on === finding.type || on === nameOf(finding));
  const left = findings.filter((finding) => !acceptances.some((acceptance) => matches(finding, acceptance)));
  const unused = acceptances.filter((acceptance) => !findings.some((finding) => matches(finding, acceptance)));
  return [
    ...new Set(left.map((finding) => `${finding.rule} on ${nameOf(finding)}: mend it, or accept it with a reason`)),
    ...unused.map(({ rule, on }) => `${rule} on ${on} is accepted, but not found: remove it from the list`),
  ];
}

function nameOf({ type, id }: Finding): string {
  return id === '' ? type : `${type} ${id}`;
}

const checkovSchema = z.object({
  results: z.object({ failed_checks: z.array(z.object({ check_id: z.string(), resource: z.string() })) }),
  summary: z.object({ resource_count: z.int().positive(), parsing_errors: z.literal(0) }),
});

const guardSchema = z.object({
  findings: z.array(z.object({ rule: z.string(), type: z.string(), id: z.string() })),
});

/** What each tool prints, read as findings. It throws for anything else, such as templates that checkov could not read. */
export const readFindings: Record<PolicyTool, (output: string) => Finding[]> = {
  checkov: (output) =>
    checkovSchema.parse(JSON.parse(output)).results.failed_checks.map(({ check_id: rule, resource }) => {
      const [type = '', id = ''] = resource.split('.');
      return { rule, type, id: withoutHash(id) };
    }),
  guard: (output) =>
    guardSchema.parse(JSON.parse(output)).findings.map((finding) => ({ ...finding, id: withoutHash(finding.id) })),
};

/** The CDK ends a logical id with a hash of its path. */
function withoutHash(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '');
}
