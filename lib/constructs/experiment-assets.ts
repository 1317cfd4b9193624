import path from 'node:path';
import { IgnoreMode } from 'aws-cdk-lib';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct } from 'constructs';
import { UserError } from '../../runner/contract/errors.ts';

export interface ExperimentAssetsProps {
  /** Folder with the bundled runner. */
  readonly runnerFolder: string;
  /** Absolute path of the experiment file. */
  readonly experimentFile: string;
  /** Files that the workload names, relative to the experiment file. */
  readonly workloadFiles: readonly string[];
}

/** What the driver fetches at boot: the runner, and the experiment file with the files that its workload names. */
export class ExperimentAssets extends Construct {
  readonly runner: Asset;
  readonly experiment: Asset;
  /** Path of the experiment file on the driver. */
  readonly fileOnDriver: string;

  constructor(scope: Construct, id: string, { runnerFolder, experimentFile, workloadFiles }: ExperimentAssetsProps) {
    super(scope, id);
    const name = path.basename(experimentFile);
    const files = workloadFiles.map((file) => path.normalize(file));
    const outside = files.find((file) => path.isAbsolute(file) || file.startsWith('..'));
    if (outside !== undefined) {
      throw new UserError(
        `${outside} is outside the folder of ${name}, so it cannot be copied to the driver. Move it beside the experiment file.`,
      );
    }
    this.runner = new Asset(this, 'Runner', { path: runnerFolder });
    this.experiment = new Asset(this, 'Experiment', {
      path: path.dirname(experimentFile),
      exclude: ['*', ...[name, ...files].flatMap(including)],
      ignoreMode: IgnoreMode.GIT,
    });
    this.fileOnDriver = `/opt/pgduet/experiment/${name}`;
  }
}

/**
 * Ignore rules that include a file, whatever its name, and the folders above it. Without the folders, git's rules would
 * not look at the file.
 */
function including(file: string): string[] {
  const parts = file.split(path.sep).map((part) => part.replace(/[\\*?[\]!# ]/g, '\\$&'));
  return parts.map((_, index) => `!/${parts.slice(0, index + 1).join('/')}`);
}
