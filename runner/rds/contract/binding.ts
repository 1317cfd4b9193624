import * as z from 'zod';
import { deployedDatabaseSchema } from '../../contract/server-facts.ts';
import { serverName, serversOf } from '../../contract/server.ts';
import { headShape, parseVersioned } from '../../contract/versioned-file.ts';

/** What a deploy asks of a database, by the names that `deployedDatabaseSchema` has for what RDS reports. */
export const expectedSchema = deployedDatabaseSchema
  .omit({ kind: true, identifier: true, resourceId: true, endpoint: true, standbyZones: true })
  .extend({
    class: z.string(),
    engineVersion: z.string(),
    availabilityZone: z.string(),
    parameterGroup: z.string(),
    backupRetentionDays: z.number(),
    monitoringIntervalSeconds: z.number(),
  });

export const runningChoices = ['finish', 'abort'] as const;

/**
 * What a deploy passes to the runner: where the variants, the password and the results are, and what was asked for. So
 * the pre-flight can prove that everything is there. The stack writes it into the SSM parameter of
 * `bindingParameterName`. The driver reads it at boot, and then watches for the binding of a later deploy. It contains
 * no secret.
 *
 * Readers ignore fields that they do not know. A field that changes its meaning raises the version.
 */
const variantBindingSchema = z.object({
  /** That of its deployment (rds/deployments/). */
  kind: z.string(),
  /**
   * DBInstanceIdentifier or DBClusterIdentifier. If the variant has several servers, a list in the order of the
   * replicas. The rest is the same for all of them and appears only once, because an SSM parameter holds at most 8 kB.
   */
  identifier: z.union([z.string().min(1), z.array(z.string().min(1)).min(2)]),
  /**
   * What AWS must report about each of them; anything else fails the pre-flight. The zone is the driver's: a Single-AZ
   * instance is in it, and the primary of the other kinds should be.
   */
  expected: expectedSchema,
});

export const bindingHead = { kind: 'pgduet-binding', schemaVersion: 1 } as const;

const bindingSchema = z.object({
  ...headShape(bindingHead),
  toolVersion: z.string(),
  /** Identifies what to measure and with which runner. A deploy of anything else has a different one. */
  deploy: z.string(),
  /** What happens to the run of an earlier deploy: it finishes, or it ends after its current trial. */
  running: z.enum(runningChoices),
  experiment: z.object({
    name: z.string(),
    profile: z.string(),
    /** Absolute path of the experiment file on the driver. */
    file: z.string(),
  }),
  owner: z.string(),
  region: z.string(),
  stackName: z.string(),
  /** ARN of the stack, which also distinguishes it from a later stack of the same name. */
  stackId: z.string(),
  /**
   * All results of this stack are in `bucket` below `prefix`, which ends in a slash. Another deploy gets another
   * prefix.
   */
  results: z.object({ bucket: z.string(), prefix: z.string().endsWith('/') }),
  /** Secret with the keys username and password. */
  secretArn: z.string(),
  database: z.object({ name: z.string(), port: z.int() }),
  /** Archives that the driver unpacks at boot, as s3:// addresses. */
  assets: z.object({ runner: z.string().startsWith('s3://'), experiment: z.string().startsWith('s3://') }),
  dashboardUrl: z.string(),
  /** Hours from the creation of the stack to its deletion; null if it never expires. */
  lifetimeHours: z.number().nullable(),
  /** The dollars at which the stack deletes itself; null if it does not. A run that began before keeps to it, too. */
  limitDollars: z.number().nullable().default(null),
  /** What happens to the stack when the run has ended, and after how many minutes. */
  whenDone: z.enum(['destroy', 'keep']),
  graceMinutes: z.number(),
  variants: z.record(z.string(), variantBindingSchema),
});

export type Binding = z.output<typeof bindingSchema>;
export type VariantBinding = z.output<typeof variantBindingSchema>;
/** What a binding says about one server. */
export type ServerBinding = Omit<VariantBinding, 'identifier'> & { identifier: string };

export const bindingFile = {
  ...bindingHead,
  what: 'a binding that a deploy wrote',
  schema: bindingSchema,
  remedy: 'Redeploy the experiment.',
  olderRemedy: 'Redeploy the experiment.',
};

/**
 * @param text content of a binding file
 * @param source path or address, for the message
 * @throws {UserError} if the text is not a binding, or has a version that this pgduet does not read
 */
export function readBinding(text: string, source: string): Binding {
  return parseVersioned(text, source, bindingFile);
}

/** All servers that a deploy made, by their names (contract/server.ts). */
export function boundServers({ variants }: Pick<Binding, 'variants'>): Map<string, ServerBinding> {
  return new Map(
    Object.entries(variants).flatMap(([variant, { identifier, ...bound }]) => {
      const identifiers = [identifier].flat();
      return serversOf([variant], identifiers.length).map((server, index): [string, ServerBinding] => [
        serverName(server),
        { ...bound, identifier: identifiers[index] ?? '' },
      ]);
    }),
  );
}

/** Name of the SSM parameter that holds the binding of one person's experiment. */
export function bindingParameterName(experiment: string, owner: string): string {
  return `/pgduet/experiments/${experiment}/${owner}/binding`;
}

/**
 * Name of the SSM parameter that says that the databases are as a deploy wants them. It holds the `deploy` of the
 * binding. The binding is there before them, so that the driver can check everything else before they cost anything.
 */
export function databasesParameterName(experiment: string, owner: string): string {
  return `/pgduet/experiments/${experiment}/${owner}/databases`;
}

/**
 * Name of the SSM parameter that holds the name of the results bucket. CloudFormation's error for a missing parameter
 * shows its name and nothing else, so the name says what to do.
 */
export const resultsBucketParameterName = '/pgduet/results-bucket/made-by/npx-cdk-deploy-c-stack-results';

/** RDS allows 63 characters for a snapshot of a cluster; the names of instances' snapshots may be longer. */
const maxCharacters = 63;
/** Longest owner, and a time such as `20261121-064459`. */
const [ownerCharacters, timeCharacters] = [12, 15];

/**
 * What the names of all snapshots of an experiment's data begin with, such as `pgduet-dlv-pgbench-alice-`. Long names
 * of experiments are cut off.
 *
 * @param owner up to 12 characters; may be a CDK token
 */
export function snapshotNamePrefix(experiment: string, owner: string): string {
  const max = maxCharacters - ownerCharacters - timeCharacters - 'pgduet---'.length;
  return `pgduet-${experiment.slice(0, max).replace(/-$/, '')}-${owner}-`;
}

/** @param startedAt start of the run, so that a resumed run finds the snapshot that it had begun */
export function snapshotName(experiment: string, owner: string, startedAt: Date): string {
  const [day = '', time = ''] = startedAt.toISOString().replace(/[-:]/g, '').slice(0, timeCharacters).split('T');
  return `${snapshotNamePrefix(experiment, owner)}${day}-${time}`;
}
