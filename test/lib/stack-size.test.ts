import { describe, expect, it } from 'vitest';
import { bindingBytes, bindingRoomBytes, maxInstances } from '../../runner/rds/deploy/stack-size.ts';
import { deployable } from '../../runner/rds/deploy/deployable.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';
import { experimentStack, joined, type Synthesized, synthesize } from '../helpers/synthesize.ts';

const longestOwner = 'alicealiceal';
/** As long as the names of most experiments get. */
const name = 'large-study-of-many-variants';

interface Size {
  variants: number;
  replicas?: number;
  deployment?: string;
  /** @default v1, v2 ... */
  variantName?: (number: number) => string;
}

/** The file of an experiment whose variants each have parameters, and so a parameter group, of their own. */
function fileOf({
  variants,
  replicas = 1,
  deployment = 'single-az',
  variantName = (number) => `v${number}`,
}: Size): string {
  const names = Array.from({ length: variants }, (_, index) => variantName(index + 1));
  const small = smallExperiment();
  const content = {
    ...small,
    name,
    common: { ...small.common, deployment, class: 'db.r6gd.16xlarge' },
    variants: Object.fromEntries(
      names.map((one, index) => [one, { engine: { parameters: { work_mem: `${index + 4}MB` } } }]),
    ),
    baseline: names[0],
    protocol: { replicas },
  };
  return `${folderWithExperiment(name, content)}/experiments/${name}.yaml`;
}

function load(file: string) {
  const { experiment, profile } = loadExperiment(file, { folder: '/' });
  return deployable(experiment, profile);
}

/** What AWS puts in the place of a reference: the stack's own values, and names of resources that CloudFormation makes. */
function resolved(text: string, functionName: string): string {
  const stack = `pgduet-${name}-${longestOwner}`;
  const region = 'ap-southeast-5';
  const known: Record<string, string> = {
    'AWS::Region': region,
    'AWS::AccountId': '123456789012',
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stack,
    'AWS::StackId': `arn:aws:cloudformation:${region}:123456789012:stack/${stack}/0a1b2c3d-c6f2-11f0-8de9-0242ac120002`,
    Function: functionName,
  };
  return text.replaceAll(/\$\{([^}]*)\}/g, (_, reference: string) => {
    const [logicalId = ''] = reference.split('.');
    return known[reference] ?? `${stack}-${logicalId}-abcdefghijkl`.toLowerCase();
  });
}

function bindingText({ resources }: Synthesized): string {
  // The zone of the driver is the only one.
  return resolved(joined(resources('AWS::SSM::Parameter')['Binding']?.Properties['Value']), 'ap-southeast-5a');
}

/** The policies of each role that names the databases, the driver's and that of the deletion, as AWS counts them. */
function policyCharacters({ resources }: Synthesized): number[] {
  const reference = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && ('Fn::Join' in value || 'Ref' in value || 'Fn::GetAtt' in value)
      ? resolved(joined(value), 'db-ABCDEFGHIJKLMNOPQRSTUVWXYZ')
      : value;
  const texts = Object.entries({ ...resources('AWS::IAM::Role'), ...resources('AWS::IAM::Policy') })
    .map(([id, { Properties }]) => ({
      isDeletion: id.startsWith('SelfDeletion'),
      text: JSON.stringify(Properties['Policies'] ?? Properties['PolicyDocument'] ?? {}, reference),
    }))
    .filter(({ text }) => text.includes('rds:') || text.includes('pi:'));
  return [true, false].map((isDeletion) =>
    texts.filter((one) => one.isDeletion === isDeletion).reduce((sum, { text }) => sum + text.length, 0),
  );
}

describe('a stack of many variants', () => {
  it('is refused by the plan and at synth where SSM has no room for its binding, with both numbers', async () => {
    const file = fileOf({ variants: 40 });
    const refusal =
      /binding of its 40 variants has up to [\d,]+ bytes, and an SSM parameter holds 8,192\. Use fewer variants/;
    const { exitCode, stderr } = await runCommandLine(['plan', file, '--prices', 'kept']);
    expect(exitCode).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(refusal);
    expect(() => experimentStack(file)).toThrow(refusal);
  });

  it('fits everywhere as long as it is not refused', () => {
    const fits = (variants: number): boolean => {
      try {
        load(fileOf({ variants }));
        return true;
      } catch {
        return false;
      }
    };
    const largest = [12, 13, 14, 15, 16, 17, 18, 19, 20].findLast(fits) ?? 0;
    expect(largest).toBeGreaterThanOrEqual(12);
    expect(largest).toBeLessThan(20);
    const stack = synthesize(experimentStack(fileOf({ variants: largest }), { owner: longestOwner }));
    const bytes = Buffer.byteLength(bindingText(stack));
    const expected = bindingBytes(load(fileOf({ variants: largest })), 'full');
    expect(bytes).toBeLessThanOrEqual(expected);
    // Not much less, so that nothing is refused that would fit.
    expect(bytes).toBeGreaterThan(0.93 * expected);
    expect(expected).toBeLessThanOrEqual(bindingRoomBytes);
    expect(Math.max(...policyCharacters(stack))).toBeLessThan(10_240);
    const body = JSON.parse(joined(stack.only('AWS::CloudWatch::Dashboard').Properties['DashboardBody'])) as {
      widgets: unknown[];
    };
    expect(body.widgets.length).toBeLessThanOrEqual(500);
  });
});

describe('a stack of many instances', () => {
  const variantName = (number: number): string => `v${number}-with-quite-a-long-name`;

  it.each([
    ['single-az', 2, 18],
    ['multi-az-instance', 2, 18],
    ['multi-az-cluster', 2, 6],
  ])(
    'as %s, %d variants of %d replicas with long names, has room in the driver’s policy',
    (deployment, variants, replicas) => {
      const file = fileOf({ variants, replicas, deployment, variantName });
      const roleCharacters = policyCharacters(synthesize(experimentStack(file, { owner: longestOwner })));
      expect(Math.min(...roleCharacters)).toBeGreaterThan(0);
      expect(Math.max(...roleCharacters)).toBeLessThan(10_240);
    },
  );

  it('is refused where the policy has no room', () => {
    expect(() => load(fileOf({ variants: 3, replicas: 20 }))).toThrow(
      `its servers are 60 instances, and the driver’s policy has room for the names of ${maxInstances}.`,
    );
    expect(() => load(fileOf({ variants: 2, replicas: 7, deployment: 'multi-az-cluster' }))).toThrow('42 instances');
  });
});
