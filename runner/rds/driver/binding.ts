import path from 'node:path';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { parameterValue } from '../aws/parameter.ts';
import { type Binding, bindingParameterName, readBinding } from '../contract/binding.ts';
import { deployable } from '../deploy/deployable.ts';
import { loadInParts } from '../../experiment/file/load.ts';
import { ownerOfDeploy } from '../deploy/owner.ts';
import { UserError, whyFailed } from '../../contract/errors.ts';
import { type AwsClients, awsClients } from '../aws/clients.ts';
import { readTextWhole } from '../../files/read.ts';

export interface FoundBinding {
  binding: Binding;
  /** Name or path of the experiment that the binding belongs to. */
  experiment: string;
  clients: AwsClients;
}

interface Surroundings {
  workingFolder: string;
  signal: AbortSignal;
}

/**
 * The binding that a deploy has written to a file on its driver.
 *
 * @param name of the experiment. @default the binding names it
 */
export function bindingOnDriver(
  file: string,
  name: string | undefined,
  { workingFolder, signal }: Surroundings,
): FoundBinding {
  const binding = readBindingFile(file, workingFolder);
  return { binding, experiment: name ?? binding.experiment.file, clients: awsClients(binding.region, signal) };
}

/**
 * Finds the binding of a deploy by its experiment and its owner.
 *
 * @throws {UserError} if there is no such deploy
 */
export async function findBinding(
  name: string,
  options: { owner?: string; region?: string; profile?: string },
  { workingFolder, signal }: Surroundings,
): Promise<FoundBinding> {
  const how = { folder: workingFolder, profile: options.profile };
  const { experiment, profile } = await loadInParts(name, how, signal);
  // If the file shows that the experiment cannot have been deployed, pgduet does not ask AWS.
  deployable(experiment, profile);
  const clients = awsClients(options.region, signal);
  return { binding: await fetchBinding(clients.ssm, experiment.name, options.owner), experiment: name, clients };
}

/** @throws {UserError} if the file cannot be read, or is not a binding */
export function readBindingFile(file: string, workingFolder: string): Binding {
  let text: string;
  try {
    text = readTextWhole(path.resolve(workingFolder, file));
  } catch (error) {
    throw new UserError(`--binding: ${file} cannot be read: ${whyFailed(error)}.`);
  }
  return readBinding(text, file);
}

/**
 * @param owner who deployed it; undefined for the login name, which is also the default of a deploy
 * @param abortSignal ends the call, with its reason
 * @throws {UserError} if there is no such stack
 */
export async function fetchBinding(
  ssm: SSMClient,
  experiment: string,
  owner: string | undefined,
  abortSignal?: AbortSignal,
): Promise<Binding> {
  const who = ownerOfDeploy(owner);
  const parameter = bindingParameterName(experiment, who);
  const text = await parameterValue(ssm, parameter, abortSignal);
  if (text !== null) return readBinding(text, parameter);
  throw new UserError(
    `${experiment} of ${who} is not deployed in ${await ssm.config.region()}. Deploy it with \`npx cdk deploy -c experiment=${experiment} -c owner=${who}\`, use another --owner or --region, or add --local to run it on this machine.`,
  );
}
