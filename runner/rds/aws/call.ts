import { isUnreachable, UserError, wordsOf } from '../../contract/errors.ts';
import { CutOffError, maxAttempts } from './bound-client.ts';

/**
 * Makes one call to AWS. If it fails, the error's message states the reason.
 *
 * @param action as in a policy, such as `rds:DescribeDBInstances`
 * @param subject what the call is about, such as an identifier
 * @throws {AwsCallError} if AWS refuses the call, or the call does not get through
 */
export async function callAws<T>(action: string, subject: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const reason = reasonOf(error);
    if (reason === null) throw error;
    throw new AwsCallError(`${action} of ${subject} ${reason}`, error);
  }
}

/** A call that AWS refused or that did not get through. The message names the action and the remedy. */
export class AwsCallError extends UserError {
  override name = 'AwsCallError';
  /** AWS's name for the error, such as `DBInstanceNotFoundFault`. */
  readonly code: string;
  /** Whether the credentials do not allow the call. */
  readonly denied: boolean;

  constructor(words: string, cause: Error) {
    const isTransient =
      isThrottling(cause) || cause instanceof CutOffError || isUnreachable(cause) || statusOf(cause) >= 500;
    // The network’s troubles are the same for every service.
    const failure = cause instanceof CutOffError || isUnreachable(cause) ? null : 'aws-call';
    super(/[.?]$/.test(words) ? words : `${words}.`, { cause, isTransient, failure });
    this.code = codeOf(cause);
    this.denied = isDenied(cause);
  }
}

/**
 * Why the call failed, as a text; null if the error did not come from AWS or the network, and so is a bug in pgduet.
 */
function reasonOf(error: Error): string | null {
  const code = codeOf(error);
  if (error.name === 'CredentialsProviderError') {
    return 'needs AWS credentials, but found none. Set AWS_PROFILE, or log in with `aws sso login`.';
  }
  if (/^Region is missing/.test(wordsOf(error))) {
    return 'needs a Region. Set AWS_REGION, or set a Region in the AWS profile.';
  }
  if (/^(ExpiredToken|RequestExpired|InvalidClientTokenId|UnrecognizedClient|InvalidAccessKeyId)/.test(code)) {
    return `was rejected: the AWS credentials are no longer valid (${code}). Log in again.`;
  }
  if (error instanceof CutOffError) return `was cut off (${error.message}).`;
  if (isDenied(error)) return `was denied: ${error.message}`;
  if (isThrottling(error)) return `was throttled ${maxAttempts} times in a row (${code}). Try again later.`;
  if (isUnreachable(error)) return `could not reach AWS (${code}: ${error.message}). Check the network route.`;
  if (statusOf(error) > 0) return `failed: ${code}: ${error.message}`;
  return null;
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function statusOf(error: Error): number {
  if (!('$metadata' in error) || typeof error.$metadata !== 'object' || error.$metadata === null) return 0;
  const status = 'httpStatusCode' in error.$metadata ? error.$metadata.httpStatusCode : 0;
  return typeof status === 'number' ? status : 0;
}

function isDenied(error: Error): boolean {
  return (
    /^(AccessDenied|NotAuthorized|UnauthorizedOperation|Forbidden|KMSAccessDenied)/.test(error.name) ||
    statusOf(error) === 403
  );
}

function isThrottling(error: Error): boolean {
  return (
    /^(Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|RequestThrottled)/.test(error.name) ||
    statusOf(error) === 429
  );
}
