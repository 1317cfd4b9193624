import * as z from 'zod';
import { checkSchema } from './check.ts';
import type { Meaning } from './meaning.ts';
import { headShape } from './versioned-file.ts';

/** Something that must hold of this machine, an account or a driver before a run is worth its time. */
interface Probe extends Meaning {
  /** For people; before the subject, such as a variant, if there are several of the kind. */
  name: string;
}

function probe(name: string, meaning: string, remedy: string): Probe {
  return { name, meaning, remedy };
}

/**
 * What `pgduet doctor` and the pre-flight of a driver look at, by ids for scripts, with what holds if all is well. Ids
 * never change; words may.
 */
export const probes = {
  node: probe('Node', 'pgduet runs with this version of Node.', 'Install Node 22 or 24.'),
  postgresql: probe(
    'PostgreSQL',
    'PostgreSQL’s servers and programs are here, in the versions that the experiment names.',
    'Install them, or name their folder with --pg-bindir.',
  ),
  'disk-space': probe(
    'disk space',
    'The disk has room for the data of all servers.',
    'Free up space, set TMPDIR to another disk, or load less.',
  ),
  volumes: probe(
    'volumes',
    'This machine can limit the IOPS of volumes.',
    'Run as root on a machine that can, or measure on deployed instances.',
  ),
  memory: probe('memory', 'The memory is enough for all servers.', 'Provide more memory, or lower shared_buffers.'),
  cores: probe(
    'cores',
    'Load generator and server do not wait for each other.',
    'Use a machine or a container with two or more CPUs.',
  ),
  rights: probe(
    'rights of programs',
    'Programs of an experiment cannot gain rights.',
    'Install util-linux, which has setpriv.',
  ),
  scripts: probe(
    'scripts and options of the load',
    'The load generator accepts the experiment’s scripts and options.',
    'Correct the script at the line that the problem names.',
  ),
  'other-programs': probe(
    'other programs',
    'Other programs leave the CPUs to the run.',
    'Stop them, or use a dedicated machine.',
  ),
  'load-generator': probe(
    'load generator',
    'The load generator runs here, and its own limit is known.',
    'Correct what keeps it or its server from running.',
  ),
  programs: probe(
    'programs',
    'The programs that are useful after a deploy are here.',
    'Install those that are missing, if you need them.',
  ),
  region: probe('Region', 'A Region is chosen.', 'Set AWS_REGION, or a Region in the AWS profile.'),
  credentials: probe('credentials', 'AWS accepts the credentials.', 'Set AWS_PROFILE, or log in with `aws sso login`.'),
  bootstrap: probe(
    'cdk bootstrap',
    '`cdk bootstrap` was run for this account and Region, and is new enough.',
    'Run the command that the problem names.',
  ),
  'results-stack': probe('results stack', 'The results bucket exists.', 'Run `npx cdk deploy -c stack=results` once.'),
  'existing-deploy': probe(
    'already deployed',
    'pgduet can see whether the experiment is already deployed.',
    'Make sure that the credentials may read the parameters of Systems Manager.',
  ),
  'bootstrap-bucket': probe(
    'bootstrap bucket',
    'The driver may read what `cdk bootstrap` stores.',
    'Deploy with -c assetKey=ARN of the key that the note names.',
  ),
  'results-key': probe(
    'results key',
    'The driver may use the key that encrypts the results.',
    'Change the policy of the key as the problem says.',
  ),
  'variant-offered': probe(
    'variant',
    'RDS offers the variant’s class, version, storage and deployment together.',
    'Choose one of those that the problem names, or another Region.',
  ),
  'parameters-known': probe(
    'parameters of',
    'RDS has the variant’s parameters and accepts their values.',
    'Correct the parameters that the problem names.',
  ),
  'driver-offered': probe('driver', 'EC2 offers the class of the driver.', 'Change driver.class.'),
  subnets: probe(
    'subnets',
    'The network that the experiment names has what a deploy needs.',
    'Correct the network, or name other subnets.',
  ),
  zone: probe('zone', 'One zone has all classes.', 'Choose other classes, another Region or another network.'),
  endpoints: probe(
    'endpoints',
    'The zone has an endpoint for each service that the driver calls.',
    'Choose another zone or another network.mode.',
  ),
  'ec2-quota': probe(
    'EC2 quota',
    'The quota for EC2 has room for the driver.',
    'Ask AWS to raise the quota, or terminate instances.',
  ),
  'vpc-quota': probe(
    'VPC quota',
    'The quota has room for another VPC.',
    'Ask AWS to raise the quota, or use an existing network.',
  ),
  'endpoint-quota': probe(
    'endpoint quota',
    'The quota has room for the endpoints.',
    'Ask AWS to raise the quota, or choose another network.mode.',
  ),
  'rds-quotas': probe(
    'RDS quotas',
    'The quotas for RDS have room for the databases and their storage.',
    'Ask AWS to raise the quota, or remove databases.',
  ),
  'certificate-authority': probe(
    'certificate authority',
    'The driver knows the authority that signs the certificates of databases.',
    'Put the certificates that the problem names into certificates/.',
  ),
  guardduty: probe(
    'GuardDuty',
    'GuardDuty will not keep the VPC from being deleted.',
    'See docs/deploying.md if a destroy stops at a subnet.',
  ),
  prices: probe('prices', 'All prices of the experiment are known.', 'Fetch them with `pgduet prices`.'),
  experiment: probe(
    'experiment',
    'The driver can read the experiment, and the stack is its own.',
    'Redeploy the experiment.',
  ),
  limits: probe('limits', 'The run fits `limits` and the lifetime of the stack.', 'Raise the limit, or measure less.'),
  stack: probe(
    'stack',
    'The stack exists, and can be deleted when its time is over.',
    'Remove what protects the stack.',
  ),
  clients: probe(
    'pgbench and psql',
    'The driver has PostgreSQL’s client programs.',
    'See the driver’s log, then redeploy.',
  ),
  tool: probe(
    'tool',
    'The load generator runs on the driver and accepts the scripts.',
    'Correct what the problem names, then redeploy.',
  ),
  certificates: probe('certificates', 'The driver has the certificates of RDS.', 'Deploy again.'),
  results: probe('results', 'Results can be written and read back.', 'Correct the bucket, its policy or its key.'),
  password: probe('password', 'The driver can read the password of the databases.', 'Deploy again.'),
  'database-as-asked': probe('variant', 'The database matches the experiment.', 'Redeploy, or change the experiment.'),
  exchange: probe(
    'exchange of',
    'The log volume may be exchanged.',
    'Correct the driver’s rights, or remove the crossover.',
  ),
  windows: probe(
    'windows of',
    'RDS plans no backup or maintenance in the time of the run.',
    'Start at another time, or move the windows.',
  ),
  connection: probe(
    'connection to',
    'The driver reaches the database by verified TLS, and their clocks agree.',
    'Correct what the problem names, such as a parameter.',
  ),
  'parameters-in-force': probe(
    'parameters of',
    'The parameters are in force on the server.',
    'Correct the parameters that the problem names.',
  ),
  bill: probe('bill', 'Enough of `limits.dollars` is left for the run.', 'Raise limits.dollars, or redeploy.'),
} as const satisfies Record<string, Probe>;

export type ProbeId = keyof typeof probes;

/** What one probe of a live system found. Each problem is a sentence that says what to do. */
const probeOutcomeSchema = z.object({
  /** What was checked: a ProbeId. Absent in old files, as `state` and `remedy` are. */
  id: z.string().optional(),
  /** The same in words, with what it is about. */
  name: z.string(),
  /** `warn`: there are notes. `not-assessed`: the user may not look. */
  state: checkSchema.in.shape.state.optional(),
  /** Empty if all is well. */
  problems: z.array(z.string()),
  /** If all is well: what was found, in a few words. */
  detail: z.string(),
  /** What the user should know although it is no obstacle; a sentence each. */
  notes: z.array(z.string()).default([]),
  /** What to do in general, if the state is not `pass`; otherwise null. */
  remedy: z.string().nullable().optional(),
});

/** Name of the object that the pre-flight writes, below the prefix of a deploy. */
export const preflightName = 'driver/preflight.json';

export const preflightHead = { kind: 'pgduet-preflight', schemaVersion: 1 } as const;

export const preflightSchema = z.object({
  ...headShape(preflightHead),
  toolVersion: z.string(),
  /** null while the pre-flight is running. */
  endedAt: z.string().nullable(),
  outcomes: z.array(probeOutcomeSchema),
});

export type PreflightObject = z.output<typeof preflightSchema>;
