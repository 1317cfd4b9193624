import type { S3Client } from '@aws-sdk/client-s3';

/** Makes a client only when one is needed: commands on folders start without loading the AWS libraries. */
export type OpenS3 = (interrupted: AbortSignal) => Promise<S3Client>;

export const openS3: OpenS3 = async (interrupted) => {
  const { awsClients } = await import('../aws/clients.ts');
  return awsClients(undefined, interrupted).s3;
};
