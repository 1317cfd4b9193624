import { z } from 'zod';

/** The keys that matter only when an experiment is deployed; a local run ignores them. */

export const driverSchema = z
  .strictObject({
    class: z
      .string()
      .regex(/^[a-z0-9-]+\.[a-z0-9]+$/, 'an EC2 instance type such as r5.4xlarge')
      .default('r5.4xlarge'),
    volumeGib: z
      .int()
      .min(8)
      .max(16_384)
      .default(100)
      .describe('Root volume, which holds the logs until they are in S3.'),
  })
  .prefault({})
  .describe('The EC2 instance that drives the load.');

export const networkSchema = z
  .discriminatedUnion('mode', [
    z.strictObject({ mode: z.literal('public-driver'), availabilityZone: z.string().optional() }),
    z.strictObject({ mode: z.literal('private'), availabilityZone: z.string().optional() }),
    z.strictObject({
      mode: z.literal('existing'),
      vpcId: z.string().regex(/^vpc-[0-9a-f]+$/, 'a VPC id'),
      reason: z.string().min(1),
    }),
  ])
  .default({ mode: 'public-driver' });

export const monitoringSchema = z
  .strictObject({
    enhancedMonitoringSeconds: z
      .union([z.literal(0), z.literal(1), z.literal(5), z.literal(10), z.literal(30), z.literal(60)])
      .default(1),
    performanceInsightsDays: z.int().min(7).max(731).default(7),
  })
  .prefault({});

export const credentialsSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('generated') }),
    z.strictObject({
      kind: z.literal('existing'),
      secretArn: z.string().regex(/^arn:aws[a-z-]*:secretsmanager:/, 'the ARN of a secret'),
    }),
  ])
  .default({ kind: 'generated' });

export const expirySchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('after'),
      hours: z
        .number()
        .positive()
        .max(24 * 30),
    }),
    z.strictObject({ kind: z.literal('never'), reason: z.string().min(1) }),
  ])
  .default({ kind: 'after', hours: 24 });
