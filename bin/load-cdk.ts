import { createRequire } from 'node:module';
import { UserError } from '../runner/contract/errors.ts';
import { installCdk } from '../runner/rds/deploy/cdk-packages.ts';

/**
 * Loads what needs the CDK. That is slow to load, and an optional peer of the package: a local run does without it.
 *
 * @throws {UserError} if it is not installed
 */
export async function loadCdk<Loaded>(
  load: () => Promise<Loaded>,
  isInstalled: (name: string) => boolean = canBeResolved,
): Promise<Loaded> {
  const missing = ['aws-cdk-lib', 'constructs'].filter((name) => !isInstalled(name));
  if (missing.length === 0) return load();
  throw new UserError(
    `Deploys and templates need the CDK; a local run does not. Missing: ${missing.join(', ')}. Install it: ${installCdk}`,
  );
}

function canBeResolved(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
