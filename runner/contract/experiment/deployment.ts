import * as z from 'zod';

/** The keys that matter only when an experiment is deployed; a local run ignores them. */

const reasonSchema = z.string().trim().min(10).describe('The reason; the stack records it.');

export const driverSchema = z
  .strictObject({
    class: z
      .string()
      .regex(/^[a-z0-9-]+\.[a-z0-9]+$/, 'an EC2 instance type such as r5.4xlarge')
      .default('r5.4xlarge')
      .describe('EC2 instance type: Intel, AMD or Graviton. The image matches it.'),
    volumeGib: z
      .int()
      .min(8)
      .max(16_384)
      .default(100)
      .describe('Root volume, which holds the logs until they are in S3.'),
  })
  .prefault({})
  .describe('The EC2 instance that drives the load.');

const zoneSchema = z
  .string()
  .regex(/^[a-z]{2}(-[a-z]+)+-\d[a-z]$/, 'an Availability Zone such as us-east-1b')
  .optional()
  .describe('Zone of the driver and of every Single-AZ variant. Default: the first zone that has a default subnet.');

const subnetSchema = z.string().regex(/^subnet-([0-9a-f]{8}|[0-9a-f]{17})$/, 'a subnet id');

const modeWords = 'Which network to use.';

export const networkSchema = z
  .discriminatedUnion('mode', [
    z
      .strictObject({ mode: z.literal('public-driver').describe(modeWords), availabilityZone: zoneSchema })
      .describe(
        'Its own VPC. The driver has a public address, so it needs no NAT gateway. No inbound rule reaches it.',
      ),
    z
      .strictObject({ mode: z.literal('private').describe(modeWords), availabilityZone: zoneSchema })
      .describe('Its own VPC without internet access: VPC endpoints only, at about 0.01 dollars per hour each.'),
    z
      .strictObject({
        mode: z.literal('existing').describe(modeWords),
        vpcId: z
          .string()
          .regex(/^vpc-([0-9a-f]{8}|[0-9a-f]{17})$/, 'a VPC id')
          .describe('The VPC for driver and databases.'),
        driverSubnetId: subnetSchema.describe('Must reach S3 and the AWS APIs, by NAT, endpoints or a public address.'),
        databaseSubnetIds: z
          .array(subnetSchema)
          .min(2)
          .describe('Subnets in at least two zones, three for a Multi-AZ cluster; one of them in the driver’s zone.'),
        availabilityZone: zoneSchema.unwrap().describe('Zone of the driver’s subnet.'),
        publicAddress: z.boolean().default(false).describe('Whether the driver gets a public address.'),
        reason: reasonSchema,
      })
      .describe('An existing VPC. Its other traffic and its routes then affect the measurement.'),
  ])
  // Before this, loading chooses public-driver for a tool whose program is downloaded.
  .default({ mode: 'private' })
  .describe(
    'Where the driver and the databases run. Databases are never reachable from outside, in any mode. Default: private, unless the driver must download the tool’s program: public-driver for HammerDB without workload.archive.',
  );

/** Days of retention that Performance Insights accepts: a week, 1 to 23 months of 31 days, or two years. */
const insightsDaysSchema = z
  .int()
  .refine((days) => days === 7 || days === 731 || (days % 31 === 0 && days >= 31 && days <= 23 * 31), {
    error: '7 (free), 31 times 1 to 23, or 731',
  });

const insightsWords = 'How much Database Insights records.';

export const monitoringSchema = z
  .strictObject({
    enhancedMonitoringSeconds: z
      .union([z.literal(0), z.literal(1), z.literal(5), z.literal(10), z.literal(30), z.literal(60)])
      .default(1)
      .describe('Interval of the operating system’s metrics; 0 switches them off.'),
    databaseInsights: z
      .discriminatedUnion('mode', [
        z.strictObject({
          mode: z.literal('standard').describe(insightsWords),
          retentionDays: insightsDaysSchema.default(7).describe('Retention of the database load by wait event.'),
        }),
        z
          .strictObject({ mode: z.literal('advanced').describe(insightsWords) })
          .describe('Retained for 465 days; billed per vCPU.'),
        z.strictObject({ mode: z.literal('off').describe(insightsWords), reason: reasonSchema }),
      ])
      .default({ mode: 'standard', retentionDays: 7 })
      .describe('Database Insights, formerly Performance Insights.'),
    logRetentionDays: z
      .union([1, 3, 5, 7, 14, 30, 60, 90].map((days) => z.literal(days)))
      .default(30)
      .describe('How long the PostgreSQL logs are kept, unless the stack is deleted first.'),
  })
  .prefault({})
  .describe('AWS monitoring, identical for all variants.');

export const backupsSchema = z
  .strictObject({
    retentionDays: z
      .int()
      .min(0)
      .max(35)
      .default(1)
      .describe(
        'Days that automated backups are kept, the same for all variants. A Multi-AZ cluster needs at least 1.',
      ),
    windowUtc: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as 03:30')
      .optional()
      .describe(
        'Start of the half hour for backups. Default: the half hour before the first deploy, so that the next backup is 23 hours away. The pre-flight rejects a window inside the run.',
      ),
  })
  .prefault({})
  .describe('Automated backups by RDS.');

export const removalSchema = z
  .strictObject({
    finalSnapshot: z
      .boolean()
      .default(false)
      .describe('Keep a snapshot of every database when the stack is destroyed. AWS bills it until you delete it.'),
  })
  .prefault({})
  .describe('What remains after the stack is destroyed.');

export const snapshotSchema = z
  .string()
  .regex(
    /^(arn:aws[a-z-]*:rds:[a-z0-9-]+:\d{12}:(cluster-)?snapshot:)?(rds:)?[a-zA-Z][a-zA-Z0-9-]*$/,
    'the name or the ARN of a snapshot of RDS',
  );

export const dataSchema = z
  .strictObject({
    keep: z
      .boolean()
      .default(false)
      .describe(
        'Keep a snapshot of the loaded data, taken from the baseline before the first trial. It outlives the stack, and AWS bills it until you delete it.',
      ),
    snapshot: snapshotSchema
      .optional()
      .describe(
        'Restore every variant from this snapshot, given by name or ARN, instead of loading. pgduet must have loaded its data with this workload. For a snapshot that pgduet did not make, use workload.load.snapshot.',
      ),
  })
  .prefault({})
  .describe('Loads once for several deploys. A local run always loads.');

/** A policy cannot name an alias as a resource, so neither can an experiment. */
export const keyArnPattern = /^arn:aws[a-z-]*:kms:([a-z0-9-]+):\d{12}:key\/[A-Za-z0-9-]+$/;

const keyArnSchema = z
  .string()
  .regex(
    keyArnPattern,
    'the ARN of a KMS key, not of an alias, such as arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  );

export const encryptionSchema = z
  .strictObject({
    kmsKeyArn: keyArnSchema
      .optional()
      .describe(
        'Key of the databases’ storage, of Database Insights, of the generated secret, of the PostgreSQL logs and of the driver’s disk.',
      ),
    resultsKmsKeyArn: keyArnSchema
      .optional()
      .describe(
        'Key of the bucket for results, which the driver must be allowed to use. Default: kmsKeyArn. The deploy of the results stack sets it: npx cdk deploy -c stack=results -c resultsKey=ARN',
      ),
  })
  .optional()
  .describe('Your own KMS keys, in the Region of the stack. Default: keys of AWS. Their policies must allow the use.');

const credentialsWords = 'Where the master password comes from.';

export const credentialsSchema = z
  .discriminatedUnion('kind', [
    z
      .strictObject({ kind: z.literal('generated').describe(credentialsWords) })
      .describe('A secret of this stack, deleted with it.'),
    z
      .strictObject({
        kind: z.literal('existing').describe(credentialsWords),
        secretArn: z
          .string()
          .regex(
            /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:.+-[A-Za-z0-9]{6}$/,
            'the complete ARN of a secret, with its six random characters',
          )
          .describe('The complete ARN of the secret.'),
        kmsKeyArn: keyArnSchema
          .optional()
          .describe('The key that encrypts the secret, if it is not the account’s default key.'),
      })
      .describe('An existing secret: JSON with the keys username and password.'),
  ])
  .default({ kind: 'generated' })
  .describe('Master user of every variant.');

export const whenDoneSchema = z
  .enum(['destroy', 'keep'])
  .default('destroy')
  .describe(
    'destroy: when the run has ended, successfully or not, and pgduet has confirmed all of its results in S3, the stack deletes itself after graceMinutes. keep: the stack stays, and AWS bills it, until you destroy it or it expires.',
  );

export const graceMinutesSchema = z
  .int()
  .min(0)
  .max(7 * 24 * 60)
  .default(30)
  .describe('Minutes between confirming all results in S3 and deletion: time to inspect the databases.');

export const notifySchema = z
  .union([
    z
      .strictObject({ email: z.email().describe('Address of the reader.') })
      .describe('An email, through a topic of the stack. AWS first sends an email that asks for confirmation.'),
    z
      .strictObject({
        topicArn: z
          .string()
          .regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]+$/, 'the ARN of an SNS topic')
          .describe('ARN of the topic.'),
      })
      .describe(
        'An existing SNS topic, in the same Region. If your own KMS key encrypts it, docs/security.md says what the key must allow.',
      ),
  ])
  .optional()
  .describe('Recipient of the self-deletion notice.');

const expiryWords = 'Whether the stack expires.';

export const expirySchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('after').describe(expiryWords),
      hours: z
        .number()
        .min(1)
        .max(24 * 30)
        .describe('Hours from the creation of the stack, 720 at most. A later deploy may change them.'),
    }),
    z.strictObject({ kind: z.literal('never').describe(expiryWords), reason: reasonSchema }),
  ])
  .default({ kind: 'after', hours: 24 })
  .describe(
    'The latest time at which the stack deletes itself, so that a forgotten stack does not cost money for days. Results are kept.',
  );
