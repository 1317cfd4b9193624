import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { acceptedSchema, type Finding, judgeFindings, readFindings } from '../../scripts/templates/judge-findings.ts';

const publicAddress: Finding = { rule: 'CKV_AWS_88', type: 'AWS::EC2::Instance', id: 'DriverInstance' };

function accepted(on: string) {
  return acceptedSchema.parse([{ checkov: ['CKV_AWS_88'], guard: ['NO_PUBLIC_IP'], on: [on], why: 'it has a reason' }]);
}

it.each(['AWS::EC2::Instance', 'AWS::EC2::Instance DriverInstance'])('a finding is accepted on %s', (on) => {
  expect(judgeFindings('checkov', [publicAddress], accepted(on))).toEqual([]);
});

it('a finding that is not accepted is named once, however many templates have it', () => {
  expect(judgeFindings('checkov', [publicAddress, publicAddress], [])).toEqual([
    'CKV_AWS_88 on AWS::EC2::Instance DriverInstance: mend it, or accept it with a reason',
  ]);
});

it('an acceptance is for this rule and this resource alone, and is named when nothing matches it', () => {
  expect(judgeFindings('checkov', [publicAddress], accepted('AWS::EC2::Instance Other'))).toEqual([
    'CKV_AWS_88 on AWS::EC2::Instance DriverInstance: mend it, or accept it with a reason',
    'CKV_AWS_88 on AWS::EC2::Instance Other is accepted, but not found: remove it from the list',
  ]);
  const other = { ...publicAddress, rule: 'CKV_AWS_8' };
  expect(judgeFindings('checkov', [publicAddress, other], accepted('AWS::EC2::Instance'))).toEqual([
    'CKV_AWS_8 on AWS::EC2::Instance DriverInstance: mend it, or accept it with a reason',
  ]);
});

it('a tool is judged by its own rules only', () => {
  expect(judgeFindings('guard', [], accepted('AWS::EC2::Instance'))).toEqual([
    'NO_PUBLIC_IP on AWS::EC2::Instance is accepted, but not found: remove it from the list',
  ]);
});

it('an acceptance without a reason is refused', () => {
  expect(acceptedSchema.safeParse([{ checkov: ['CKV_AWS_88'], on: ['template'] }]).success).toBe(false);
});

it('the list in the repository can be read', () => {
  const file = path.resolve(import.meta.dirname, '../../scripts/templates/accepted-findings.yaml');
  expect(acceptedSchema.parse(parse(readFileSync(file, 'utf8'))).length).toBeGreaterThan(0);
});

it('what checkov and Guard print is read without the hashes of logical ids', () => {
  const failed = { check_id: 'CKV_AWS_88', resource: 'AWS::EC2::Instance.DriverInstance81654A92', check_name: 'No IP' };
  const summary = { passed: 729, failed: 1, parsing_errors: 0, resource_count: 486 };
  expect(readFindings.checkov(JSON.stringify({ results: { failed_checks: [failed] }, summary }))).toEqual([
    publicAddress,
  ]);
  const guard = { findings: [{ ...publicAddress, id: 'DriverInstance81654A92' }] };
  expect(readFindings.guard(JSON.stringify(guard))).toEqual([publicAddress]);
});

it.each([
  [
    'could read no template',
    JSON.stringify({ passed: 0, failed: 0, skipped: 0, parsing_errors: 0, resource_count: 0 }),
  ],
  [
    'could not read one of them',
    JSON.stringify({ results: { failed_checks: [] }, summary: { resource_count: 5, parsing_errors: 1 } }),
  ],
  ['broke off', ''],
])('the check does not pass when checkov %s', (_, output) => {
  expect(() => readFindings.checkov(output)).toThrow();
});
