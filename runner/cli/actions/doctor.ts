import path from 'node:path';
import { createColors } from 'picocolors';
import { costsOf } from '../../rds/prices/estimate.ts';
import { deployable } from '../../rds/deploy/deployable.ts';
import { ownerOfDeploy } from '../../rds/deploy/owner.ts';
import type { LoadedExperiment } from '../../experiment/file/load.ts';
import { codeOf } from '../../experiment/trust.ts';
import type { VolumesChoice } from '../../places/local/volumes/choose-volumes.ts';
import type { CheckOutcome } from '../../probes/probe.ts';
import { hanging } from '../../report/media/wrap.ts';
import { type Io, say } from '../io.ts';
import { foreignNotes } from './foreign-words.ts';
import { loadToRun, refuseDeployOptions } from './load-to-run.ts';
import type { Declare } from '../verb.ts';
import { Option } from 'commander';
import {
  bindirOption,
  describeArguments,
  filesInOption,
  localOption,
  profileToRunOption,
  runNamed,
  volumesOption,
} from '../options.ts';

export interface DoctorOptions {
  local?: true;
  profile?: string;
  volumes?: VolumesChoice;
  filesIn?: string[];
  owner?: string;
  region?: string;
  pgBindir?: string[];
  json?: true;
}

export async function doctor(experiment: string | undefined, options: DoctorOptions, io: Io): Promise<void> {
  const report = (outcome: CheckOutcome): void => {
    if (!options.json) io.stdout.write(outcomeText(outcome, io));
  };
  const named = experiment === undefined ? null : await loadToRun(experiment, { ...options, mayInstall: false }, io);
  if (named?.isHere !== false) refuseDeployOptions(options);
  for (const note of named ? foreignNotes(codeOf(named), io) : []) say(note, io);
  const outcomes =
    named?.isHere === false
      ? await checkAccountFor(named, options, io, report)
      : await checkThisMachine(named, options, io, report);
  if (options.json) io.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
  if (outcomes.some(({ state }) => state === 'fail')) io.setExitCode(1);
}

async function checkThisMachine(
  named: LoadedExperiment | null,
  options: DoctorOptions,
  io: Io,
  report: (outcome: CheckOutcome) => void,
): Promise<CheckOutcome[]> {
  const { checkMachine } = await import('../../probes/check-machine.ts');
  const { otherPrograms } = await import('../../run/look-around.ts');
  return checkMachine(
    {
      pgBindir: options.pgBindir,
      environment: io.environment,
      signal: io.signal,
      otherPrograms,
      ...(named && { experiment: named.experiment }),
      scriptFolder: named ? path.dirname(named.path) : io.workingFolder,
    },
    report,
  );
}

async function checkAccountFor(
  { experiment, profile, path: file }: LoadedExperiment,
  options: DoctorOptions,
  io: Io,
  report: (outcome: CheckOutcome) => void,
): Promise<CheckOutcome[]> {
  const { checkDeploy } = await import('../../rds/doctor/check-deploy.ts');
  const { doctorClients } = await import('../../rds/doctor/account.ts');
  const { certificateAuthorities } = await import('../../rds/deploy/certificate-authorities.ts');
  return checkDeploy(
    {
      experiment: deployable(experiment, profile),
      owner: ownerOfDeploy(options.owner),
      certificates: certificateAuthorities(io.workingFolder),
      environment: io.environment,
      scriptFolder: path.dirname(file),
      signal: io.signal,
      async pricesNotKnown(region) {
        const costs = await costsOf(experiment, profile, null, {
          source: 'auto',
          region,
          ...io,
          warn: () => undefined,
        });
        return costs?.prices.region === region ? costs.notKnown : ['any part of the experiment'];
      },
    },
    doctorClients(options.region, io.signal),
    report,
  );
}

/** What one check found, in lines. */
export function outcomeText({ name, state, problems, detail, notes }: CheckOutcome, { columns, colour }: Io): string {
  const { green, red, yellow } = createColors(colour);
  const [word, colourOf] = state === 'fail' ? ['NOT', red] : state === 'pass' ? ['ok', green] : ['note', yellow];
  const first = state === 'fail' ? name : `${name}: ${detail}`;
  const lines = [
    ...hanging(word.padEnd(5), first, columns).map((line) => line.replace(word, colourOf)),
    ...[...problems, ...notes].flatMap((more) => hanging('       ', more, columns)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

export const declare: Declare = (command, io) => {
  describeArguments(command, runNamed);
  command
    .addOption(localOption('check for a run on this machine'))
    .addOption(profileToRunOption())
    .addOption(volumesOption())
    .addOption(filesInOption())
    .addOption(new Option('--owner <who>', 'who will deploy (default: your login name)').conflicts('local'))
    .addOption(new Option('--region <name>', 'Region to deploy to').conflicts('local'))
    .addOption(bindirOption())
    .option('--json', 'print all checks as a JSON array')
    .action((experiment: string | undefined, options: DoctorOptions) => doctor(experiment, options, io));
};
