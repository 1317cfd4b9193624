import { hasCode, UserError } from '../../contract/errors.ts';
import { plainEnvironment } from '../../process/rights.ts';
import { askProgram } from '../../process/run-command.ts';

export const program = 'sysbench';

const remedy = 'Install it, such as with: sudo apt-get install sysbench';

/**
 * Such as `sysbench 1.0.20`.
 *
 * @param environment PATH says where it is looked for
 * @throws {UserError} if it is missing, or older than 1.0
 */
export async function sysbenchVersion(
  signal: AbortSignal,
  environment: NodeJS.ProcessEnv = plainEnvironment,
): Promise<string> {
  const version = await askVersion(signal, environment);
  if (/^sysbench [1-9]/.test(version)) return version;
  throw new UserError(`${version || 'A program of this name'} is not sysbench 1.0 or newer. ${remedy}.`);
}

async function askVersion(signal: AbortSignal, environment: NodeJS.ProcessEnv): Promise<string> {
  try {
    return (await askProgram([program, '--version'], { environment, signal })).stdout.trim();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new UserError(`sysbench was not found. ${remedy}.`, { cause: error });
  }
}
