/** The Region of a deploy, as the CDK's and AWS's command lines find it; us-east-1 if none is named. */
export function regionOf({
  CDK_DEFAULT_REGION,
  AWS_REGION,
  AWS_DEFAULT_REGION,
}: Readonly<Record<string, string | undefined>>): string {
  return CDK_DEFAULT_REGION ?? AWS_REGION ?? AWS_DEFAULT_REGION ?? 'us-east-1';
}
