import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { AwsCallError, callAws } from './call.ts';

/**
 * Value of an SSM parameter; null if there is no such parameter.
 *
 * @param abortSignal ends the call, with its reason
 * @throws {AwsCallError} if SSM does not say
 */
export async function parameterValue(ssm: SSMClient, name: string, abortSignal?: AbortSignal): Promise<string | null> {
  try {
    const { Parameter } = await callAws('ssm:GetParameter', name, () =>
      ssm.send(new GetParameterCommand({ Name: name }), abortSignal && { abortSignal }),
    );
    return Parameter?.Value ?? '';
  } catch (error) {
    if (error instanceof AwsCallError && error.code === 'ParameterNotFound') return null;
    throw error;
  }
}
