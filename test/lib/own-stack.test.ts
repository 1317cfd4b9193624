import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { type CfnResource, NestedStack, Aspects, RemovalPolicies, Stack, Stage } from 'aws-cdk-lib';
import { CfnInstance, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { ManagedPolicy, PermissionsBoundary, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnDBInstance } from 'aws-cdk-lib/aws-rds';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { Experiment, type ExperimentOptions, type ExperimentProps, ExperimentStack } from '../../lib/index.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { experimentStack, masked, project, synthesize, testApp } from '../helpers/synthesize.ts';

const fixed = {
  folder: project,
  owner: 'alice',
  runnerFolder: path.join(project, 'test/fixtures/runner'),
} satisfies Partial<ExperimentOptions>;

const own = { ...fixed, expiry: { kind: 'never', reason: 'a test that deploys nothing' } } as const;

const env = { region: 'us-east-1', account: '123456789012' };

function ownStack(app = testApp()): { stack: Stack; vpc: Vpc; resultsBucket: Bucket } {
  const stack = new Stack(app, 'Own', { env });
  const vpc = new Vpc(stack, 'Vpc', {
    availabilityZones: ['us-east-1a', 'us-east-1b'],
    subnetConfiguration: [
      { name: 'app', subnetType: SubnetType.PRIVATE_WITH_EGRESS },
      { name: 'front', subnetType: SubnetType.PUBLIC },
      { name: 'data', subnetType: SubnetType.PRIVATE_ISOLATED },
    ],
  });
  const resultsBucket = new Bucket(stack, 'Results', { encryptionKey: new Key(stack, 'Key') });
  return { stack, vpc, resultsBucket };
}

/** Without the checks of `synthesize`: the VPC and the bucket of these tests are not what they are about. */
const templateOf = (stack: Stack) =>
  Template.fromStack(stack).toJSON() as {
    Resources: Record<string, { Type: string; Properties: Record<string, unknown>; DependsOn?: string[] }>;
    Parameters: Record<string, unknown>;
    Description?: string;
  };

const resourcesOf = ({ Resources }: ReturnType<typeof templateOf>, type: string) =>
  Object.values(Resources).filter(({ Type }) => Type === type);

describe('an experiment in a stack of one’s own', () => {
  it('uses the VPC and the bucket that the app names, and makes none', () => {
    const { stack, vpc, resultsBucket } = ownStack();
    new Experiment(stack, 'Dlv', { ...own, experiment: 'dlv-pgbench', vpc, resultsBucket });
    const template = templateOf(stack);
    expect(resourcesOf(template, 'AWS::EC2::VPC')).toHaveLength(1);
    expect(resourcesOf(template, 'AWS::EC2::VPCEndpoint')).toEqual([]);
    const [group] = resourcesOf(template, 'AWS::RDS::DBSubnetGroup');
    expect(group?.Properties['SubnetIds']).toEqual(
      vpc.isolatedSubnets.map(({ subnetId }) => stack.resolve(subnetId) as unknown),
    );
    const [driver] = resourcesOf(template, 'AWS::EC2::Instance');
    expect(driver?.Properties).toMatchObject({ AvailabilityZone: 'us-east-1a' });
    const policies = JSON.stringify(resourcesOf(template, 'AWS::IAM::Role'));
    expect(policies).toContain(JSON.stringify(stack.resolve(resultsBucket.bucketName)));
    expect(policies).toContain(JSON.stringify(stack.resolve(resultsBucket.encryptionKey?.keyArn)));
  });

  it('deletes it with everything in it, if it expires, and says so', () => {
    const { stack, vpc } = ownStack();
    const expiry = { kind: 'after', hours: 20 } as const;
    new Experiment(stack, 'Dlv', { ...fixed, experiment: 'dlv-pgbench', vpc, expiry });
    const template = templateOf(stack);
    expect(resourcesOf(template, 'AWS::Scheduler::Schedule')).toHaveLength(1);
    expect(JSON.stringify(resourcesOf(template, 'AWS::StepFunctions::StateMachine'))).toContain('hoursOld >= 20 ');
    expect(template.Description).toBeUndefined();
    Annotations.fromStack(stack).hasWarning('/Own/Dlv', Match.stringLikeRegexp('at the latest 20 hours after'));
  });

  it('deletes last what deletes it: other things of the stack are made after that, and what that needs is not', () => {
    const { stack, vpc, resultsBucket } = ownStack();
    const expiry = { kind: 'after', hours: 20 } as const;
    const made = new Experiment(stack, 'Dlv', { ...fixed, experiment: 'dlv-pgbench', vpc, resultsBucket, expiry });
    const first = new Topic(stack, 'First');
    made.node.addDependency(first);
    const boundary = new ManagedPolicy(stack, 'Boundary', {
      statements: [new PolicyStatement({ actions: ['rds:*'], resources: ['*'] })],
    });
    PermissionsBoundary.of(made).apply(boundary);
    const { Resources } = templateOf(stack);
    const needs = (id: string): string[] => {
      const text = JSON.stringify(Resources[id]);
      const referred = [...text.matchAll(/"(?:Ref|Fn::GetAtt)":\[?"([^"]+)"/g)].map(([, name = '']) => name);
      return [...referred, ...(Resources[id]?.DependsOn ?? [])].filter((name) => name in Resources);
    };
    const allNeeds = (id: string, visited = new Set<string>()): Set<string> => {
      for (const next of needs(id).filter((name) => !visited.has(name))) allNeeds(next, visited.add(next));
      return visited;
    };
    const ids = Object.keys(Resources);
    expect(ids.filter((id) => allNeeds(id).has(id))).toEqual([]);
    const [schedule = ''] = ids.filter((id) => Resources[id]?.Type === 'AWS::Scheduler::Schedule');
    const early = ids.filter((id) => id !== schedule && !allNeeds(id).has(schedule));
    expect(early.sort()).toEqual([...allNeeds(schedule)].sort());
    const others = early.filter((id) => !id.startsWith('DlvSelfDeletion'));
    expect(others.map((id) => Resources[id]?.Type).sort()).toEqual([
      'AWS::IAM::ManagedPolicy',
      'AWS::KMS::Key',
      'AWS::S3::Bucket',
      'AWS::SNS::Topic',
    ]);
  });

  it('is refused without an expiry, with a wrong one, and with one that its run would outlast', () => {
    const refusal = (expiry: unknown) => () => {
      const { stack, vpc } = ownStack();
      new Experiment(stack, 'Dlv', { ...fixed, experiment: 'dlv-pgbench', vpc, expiry } as ExperimentProps);
    };
    expect(refusal(undefined)).toThrow("expiry: missing: expected { kind: 'after', hours: 24 }");
    expect(refusal({ kind: 'never' })).toThrow('expiry: {"kind":"never"}: expected');
    expect(refusal({ kind: 'after', hours: 0 })).toThrow('expiry: {"kind":"after","hours":0}: expected');
    expect(refusal({ kind: 'after', hours: 2 })).toThrow('expiry.hours is 2');
    expect(refusal({ kind: 'after', hours: 721 })).toThrow('expiry: {"kind":"after","hours":721}: expected');
  });

  it('is refused beside another one, if the expiry of one would delete the other', () => {
    const props = { ...fixed, experiment: 'dlv-pgbench', expiry: { kind: 'after', hours: 24 } } as const;
    const [first, second] = [ownStack(), ownStack()];
    new Experiment(first.stack, 'One', { ...props, vpc: first.vpc });
    expect(() => new Experiment(first.stack, 'Two', { ...own, experiment: 'version-upgrade', vpc: first.vpc })).toThrow(
      'Own/One and Own/Two are in one stack, and the expiry of one would delete the other',
    );
    new Experiment(second.stack, 'One', { ...own, experiment: 'version-upgrade', vpc: second.vpc });
    expect(() => new Experiment(second.stack, 'Two', { ...props, vpc: second.vpc })).toThrow(
      'Own/One and Own/Two are in one stack',
    );
  });

  it('never deletes it, if it says why, and says what remains', () => {
    const { stack, vpc } = ownStack();
    new Experiment(stack, 'Dlv', { ...own, experiment: 'dlv-pgbench', vpc });
    const template = templateOf(stack);
    expect(resourcesOf(template, 'AWS::Scheduler::Schedule')).toEqual([]);
    expect(JSON.stringify(template)).not.toContain('cloudformation:DeleteStack');
    expect(template.Description).toBeUndefined();
    Annotations.fromStack(stack).hasWarning('/Own/Dlv', Match.stringLikeRegexp('does not delete this stack'));
  });

  describe('what would keep its stack, or a part of it, is refused if it expires', () => {
    const stackWith = (change: (stack: Stack) => void, expiry: ExperimentProps['expiry']) => () => {
      const { stack, vpc } = ownStack();
      new Experiment(stack, 'Dlv', { ...fixed, experiment: 'dlv-pgbench', vpc, expiry });
      change(stack);
      return templateOf(stack);
    };
    const protect = {
      visit: (node: unknown) => {
        if (node instanceof CfnDBInstance) node.deletionProtection = true;
      },
    };
    const override = (text: string, value: unknown, type: new (...args: never[]) => CfnResource = CfnDBInstance) => ({
      visit: (node: unknown) => {
        if (node instanceof type) node.addOverride(text, value);
      },
    });
    it.each<[string, (stack: Stack) => void, RegExp]>([
      [
        'an override that retains',
        (stack) => Aspects.of(stack).add(override('DeletionPolicy', 'Retain')),
        /policy of Own\/Dlv\/\S* is Retain, /,
      ],
      [
        'an override that protects',
        (stack) => Aspects.of(stack).add(override('Properties.DeletionProtection', true)),
        /deletionProtection of Own\/Dlv\/\S* is true/,
      ],
      [
        'an override that protects the driver',
        (stack) => Aspects.of(stack).add(override('Properties.DisableApiTermination', true, CfnInstance)),
        /disableApiTermination of Own\/Dlv\/\S* is true/,
      ],
      [
        'an override that keeps a volume',
        (stack) =>
          Aspects.of(stack).add(
            override('Properties.BlockDeviceMappings.0.Ebs.DeleteOnTermination', false, CfnInstance),
          ),
        /deleteOnTermination of Own\/Dlv\/\S* is false/,
      ],
      [
        'an override that keeps backups',
        (stack) => Aspects.of(stack).add(override('Properties.DeleteAutomatedBackups', false)),
        /deleteAutomatedBackups of Own\/Dlv\/\S* is false/,
      ],
      [
        'an export that another stack may use',
        (stack) => stack.exportValue('value', { name: 'used-elsewhere' }),
        /Own\/Export\S* exports an output/,
      ],
      ['a policy that retains', (stack) => RemovalPolicies.of(stack).retain(), /policy of Own\/Dlv\/\S* is Retain, /],
      ['deletion protection', (stack) => Aspects.of(stack).add(protect), /deletionProtection of Own\/Dlv\/\S* is true/],
      [
        'termination protection',
        (stack) => (stack.terminationProtection = true),
        /terminationProtection of Own is true/,
      ],
    ])('%s', (_, change, message) => {
      expect(stackWith(change, { kind: 'after', hours: 20 })).toThrow(message);
      expect(stackWith(change, own.expiry)).not.toThrow();
    });

    it('a schedule that does nothing', () => {
      const change = (stack: Stack): void =>
        Aspects.of(stack).add(override('Properties.State', 'DISABLED', CfnSchedule));
      expect(stackWith(change, { kind: 'after', hours: 20 })).toThrow(/state of Own\/Dlv\/\S* is DISABLED/);
    });

    it('a nested stack, which is deleted with its root only', () => {
      const { stack, vpc } = ownStack();
      const nested = new NestedStack(stack, 'Nested');
      const expiry: ExperimentProps['expiry'] = { kind: 'after', hours: 20 };
      new Experiment(nested, 'Dlv', { ...fixed, experiment: 'dlv-pgbench', vpc, expiry });
      expect(() => templateOf(stack)).toThrow('Own/Nested is a nested stack');
    });

    it('and in its own stack, too', () => {
      const props = { ...fixed, experiment: 'dlv-pgbench', terminationProtection: true };
      expect(() => templateOf(new ExperimentStack(testApp(), 'Own', props))).toThrow('terminationProtection of Own is');
    });
  });

  it('may stand beside another one', () => {
    const { stack, vpc } = ownStack();
    new Experiment(stack, 'One', { ...own, experiment: 'dlv-pgbench', vpc });
    new Experiment(stack, 'Two', { ...own, experiment: 'version-upgrade', vpc });
    expect(Object.keys(templateOf(stack).Parameters).filter((name) => /MadeAs/.test(name))).toHaveLength(2);
  });

  it('is refused beside the same one of the same owner, in its stack or in another of the Region, by both paths', () => {
    const app = testApp();
    const { stack, vpc } = ownStack(app);
    const same = { ...own, experiment: 'dlv-pgbench' };
    new Experiment(stack, 'One', { ...same, vpc });
    const words = (path: string) =>
      `Own/One and ${path} are both the experiment dlv-pgbench of alice, in the same account and Region`;
    expect(() => new Experiment(stack, 'Two', same)).toThrow(words('Own/Two'));
    expect(() => new Experiment(new Stack(app, 'Other', { env }), 'Two', same)).toThrow(words('Other/Two'));
    expect(() => new ExperimentStack(app, 'Three', { ...same, env })).toThrow(words('Three'));
  });

  it('may stand beside itself in another stage, whose account only its deploy knows', () => {
    const app = testApp();
    const deployedTo = (stage: string) =>
      new ExperimentStack(new Stage(app, stage), 'Bench', { ...fixed, experiment: 'dlv-pgbench' });
    deployedTo('test');
    expect(() => deployedTo('prod')).not.toThrow();
  });

  it('may stand beside the same one of another owner, or in another Region', () => {
    const app = testApp();
    const { stack, vpc } = ownStack(app);
    const same = { ...own, experiment: 'dlv-pgbench' };
    new Experiment(stack, 'One', { ...same, vpc });
    new Experiment(stack, 'Two', { ...same, vpc, owner: 'bob' });
    expect(() => new ExperimentStack(app, 'Far', { ...same, env: { ...env, region: 'eu-central-1' } })).not.toThrow();
  });

  it('is refused in a VPC without subnets for its databases, by the name of the property', () => {
    const { stack } = ownStack();
    const vpc = new Vpc(stack, 'Small', { availabilityZones: ['us-east-1a'] });
    expect(() => new Experiment(stack, 'Dlv', { ...own, experiment: 'dlv-pgbench', vpc })).toThrow(
      'databaseSubnets selects 1 of the subnets of vpc, and RDS needs 2',
    );
  });

  it('is refused if its databases would be in one zone', () => {
    const { stack } = ownStack();
    const vpc = Vpc.fromVpcAttributes(stack, 'OneZone', {
      vpcId: 'vpc-0123456789abcdef0',
      availabilityZones: ['us-east-1a', 'us-east-1a'],
      privateSubnetIds: ['subnet-0000000000000000a', 'subnet-0000000000000000b'],
    });
    expect(() => new Experiment(stack, 'Dlv', { ...own, experiment: 'dlv-pgbench', vpc })).toThrow(
      'databaseSubnets selects subnets of vpc in us-east-1a, and RDS needs them in 2 zones',
    );
  });

  it.each([
    ['running', { running: 'abrt' as 'abort' }, 'running: "abrt": expected finish or abort'],
    ['driverSubnet without vpc', { driverSubnet: {} }, 'driverSubnet selects subnets of vpc, which is missing'],
    [
      'databaseSubnets without vpc',
      { databaseSubnets: {} },
      'databaseSubnets selects subnets of vpc, which is missing',
    ],
  ])('is refused with a wrong %s', (_, props, message) => {
    const { stack } = ownStack();
    expect(() => new Experiment(stack, 'Dlv', { ...own, ...props, experiment: 'dlv-pgbench' })).toThrow(message);
  });
});

it('a stack for no Region in particular knows its price in every Region that has prices', () => {
  const stack = new ExperimentStack(testApp(), 'Own', { ...fixed, experiment: 'dlv-pgbench' });
  const machine = JSON.stringify(resourcesOf(templateOf(stack), 'AWS::StepFunctions::StateMachine'));
  for (const region of ['eu-central-1', 'us-east-1']) expect(machine).toMatch(new RegExp(`'${region}': \\d+`));
});

it('the prices of its folder count, wherever the app runs', () => {
  const folder = temporaryFolder();
  const kept = readFileSync(path.join(project, 'prices/us-east-1.json'), 'utf8');
  mkdirSync(path.join(folder, 'prices'));
  writeFileSync(path.join(folder, 'prices/eu-west-1.json'), kept.replaceAll('us-east-1', 'eu-west-1'));
  const props = { ...fixed, folder, experiment: 'dlv-pgbench' };
  const made = new ExperimentStack(testApp(), 'Own', props);
  const machine = JSON.stringify(resourcesOf(templateOf(made), 'AWS::StepFunctions::StateMachine'));
  expect(machine).toMatch(/'eu-west-1': \d+/);
  // Without its prices, its limit in dollars could not be kept to.
  const inIreland = { env: { ...env, region: 'eu-west-1' } };
  expect(() => new ExperimentStack(testApp(), 'Own', { ...fixed, ...inIreland, experiment: 'dlv-pgbench' })).toThrow(
    'these prices are unknown',
  );
  expect(() => new ExperimentStack(testApp(), 'Own', { ...props, ...inIreland })).not.toThrow('prices');
});

it('a stack that an app makes of an experiment is the one that pgduet’s own app makes', () => {
  const made = new ExperimentStack(testApp(), 'pgduet-dlv-pgbench-alice', { ...fixed, experiment: 'dlv-pgbench' });
  const parameters = ({ json }: ReturnType<typeof synthesize>) => Object.keys(json.Parameters);
  const [own, usual] = [synthesize(made), synthesize(experimentStack('dlv-pgbench'))];
  expect(parameters(own)).toEqual(parameters(usual));
  expect(Object.keys(own.json.Resources)).toEqual(Object.keys(usual.json.Resources));
  expect(masked(own.json.Outputs)).toEqual(masked(usual.json.Outputs));
});
