import { UserError } from '../contract/errors.ts';
import type { Io } from '../cli/io.ts';
import { runLocally } from './run-locally.ts';
import type { Stages, VerbOptions } from './verb-options.ts';

/** Carries out one of the three verbs, here or on what was deployed. */
export async function runExperiment(
  name: string | undefined,
  stages: Stages,
  options: VerbOptions,
  io: Io,
): Promise<void> {
  if (options.local) {
    if (name === undefined) throw new UserError('Which experiment? Name one under experiments/, or a path.');
    await runLocally(name, stages, options, io);
    return;
  }
  // Without AWS, its libraries need not be loaded.
  const { findBinding } = await import('../places/deployed/find-binding.ts');
  const { runDeployed } = await import('./run-deployed.ts');
  await runDeployed(await findBinding(name, options, io), stages, options, io);
}
