import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { SSMClient } from '@aws-sdk/client-ssm';
import { loadCdk } from '../../../bin/load-cdk.ts';
import { compiled } from '../../../lib/build-options.ts';
import { callAws } from '../../../runner/rds/aws/call.ts';
import { fetchBinding } from '../../../runner/rds/driver/binding.ts';
import { fakeAws, jsonError } from '../../helpers/fakes/fake-aws.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { asCommand, command, type Ending, program, type Provocations } from './endings.ts';

export const deploying: Provocations = {
  'Deploys and templates need the CDK; a local run does not. Missing: <packages>. …': () =>
    asCommand(() =>
      loadCdk(
        () => Promise.resolve(),
        () => false,
      ),
    ),
  'Name the stack: …': () => app({}),
  'Owner "<name>" cannot be part of identifiers. …': () => command(['watch', 'dlv-pgbench', '--owner', 'Alice B.']),
  '-c running=<word>: expected <words>. …': () => app({ ...deployed, running: 'never' }),
  '-c assetKey=<word> is not the ARN of a KMS key, …': () => app({ ...deployed, assetKey: 'alias/mine' }),
  '-c zone=<word> is not an Availability Zone of <region>, such as <zone>. …': () => app({ ...deployed, zone: 'eu-1' }),
  '<key> is <arn>, a key of <region>, but the stack is for <region>. …': () =>
    app(
      { stack: 'results', resultsKey: 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd' },
      { AWS_REGION: 'us-east-1' },
    ),
  '--out: <folder> holds <files>, which this command did not write. …': () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'thesis.txt'), '');
    return program([path.join(compiled, 'pgduet.mjs'), 'template', 'dlv-pgbench', '--out', folder]);
  },
  'Experiment <name>, profile <profile>, cannot be deployed: its variants are …': () =>
    command(['policy', 'quick', '--owner', 'alice']),
  '<experiment> of <owner> is not deployed in <region>. …': () => asCommand(() => ask('ParameterNotFound')),
  '<action> of <subject> needs AWS credentials, but found none. …': () =>
    refused(Object.assign(new Error('Could not load credentials'), { name: 'CredentialsProviderError' })),
  '<action> of <subject> needs a Region. …': () => refused(new Error('Region is missing')),
  '<action> of <subject> was rejected: the AWS credentials are no longer valid <code>. Log in again.': () =>
    asCommand(() => ask('ExpiredTokenException')),
  '<action> of <subject> was denied: <reason>': () => asCommand(() => ask('AccessDeniedException')),
  '<action> of <subject> was throttled <number> times in a row <code>. Try again later.': () =>
    asCommand(() => ask('ThrottlingException')),
  '<action> of <subject> could not reach AWS <details>. Check the network route.': () =>
    refused(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
};

const deployed = { experiment: 'dlv-pgbench', owner: 'alice' };

/** Runs the app as `cdk` does, with these words after -c. */
function app(words: Record<string, string>, environment: Record<string, string> = {}): Promise<Ending> {
  return program([path.join(compiled, 'app.mjs')], { CDK_CONTEXT_JSON: JSON.stringify(words), ...environment });
}

/** Asks AWS for a stack, and gets this error. */
function ask(code: string): Promise<unknown> {
  const { options } = fakeAws(() => jsonError(code, 'an error that is made up'));
  return fetchBinding(new SSMClient(options), 'dlv-pgbench', 'alice');
}

/** What a call is refused with before it leaves this machine. */
function refused(error: Error): Promise<Ending> {
  return asCommand(() => callAws('ssm:GetParameter', '/pgduet/dlv', () => Promise.reject(error)));
}
