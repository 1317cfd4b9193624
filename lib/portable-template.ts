import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { type Zippable, zipSync } from 'fflate';
import * as z from 'zod';
import { driverProgram } from './driver-program.ts';
import { LoadedExperimentStack } from './experiment-stack.ts';
import { assetPrefix, PortableSynthesizer } from './portable-synthesizer.ts';
import { quietWindows } from './quiet-windows.ts';
import { ResultsStack } from './results-stack.ts';
import { stackPrices } from '../runner/rds/prices/bill.ts';
import { keptCosts } from '../runner/rds/prices/estimate.ts';
import { keptRegions, regionOf } from '../runner/rds/prices/kept-prices.ts';
import { lifetimeHours, requireDeployable } from '../runner/rds/prices/limits.ts';
import { temporaryFolder } from '../runner/files/open-folder.ts';
import { ownFile } from '../runner/files/own-files.ts';
import { makeSafeFolder, removeIfEmpty } from '../runner/files/write.ts';
import { resultsKeyOf } from '../runner/rds/deploy/keys.ts';
import { launchPolicy } from '../runner/rds/deploy/launch-policy/policy.ts';
import { loadExperiment } from '../runner/experiment/file/load.ts';
import { requireTrusted } from '../runner/experiment/trust.ts';
import { UserError } from '../runner/contract/errors.ts';
import { launchGuide } from './launch-guide.ts';

/** What `writePortableTemplate` writes, and what its next start replaces. */
const written = ['LAUNCH.md', 'policy.json', 'results.json', 'template.json', assetPrefix];

/**
 * Writes CloudFormation templates with their assets, for users without Node.js and without a bootstrapped account. If
 * it fails, it leaves nothing in the folder, nor a folder that it made.
 *
 * @returns the folder that they are in
 * @throws {UserError} if the experiment cannot be deployed, if the folder cannot be made, or if it holds other files
 */
export async function writePortableTemplate(
  nameOrPath: string,
  {
    profile,
    trust,
    out,
    workingFolder,
    environment,
  }: {
    profile?: string | undefined;
    /** Hash of an experiment with files of somebody else. */
    trust?: string | undefined;
    /** @default dist/templates/EXPERIMENT */
    out?: string | undefined;
    workingFolder: string;
    environment: Readonly<Record<string, string | undefined>>;
  },
): Promise<{ folder: string; warnings: string[] }> {
  const { experiment, ...loaded } = loadExperiment(nameOrPath, { folder: workingFolder, profile });
  requireTrusted({ experiment, ...loaded }, trust, { word: '--trust ', environment });
  const { deployed, warnings } = requireDeployable(experiment, loaded.profile, regionOf(environment), workingFolder);
  const { windowUtc } = experiment.backups;
  const output = path.resolve(workingFolder, out ?? path.join('dist', 'templates', experiment.name));
  const assembly = mkdtempSync(path.join(temporaryFolder(), 'pgduet-template-'));
  const made: string[] = [];
  try {
    made.push(...makeSafeFolder(output, 'name another folder (--out)'));
    requireOwn(output);
    const app = new App({
      outdir: assembly,
      context: cdkContext(),
      analyticsReporting: false,
      builtinCloudFormationValidation: false,
    });
    const synthesizer = new PortableSynthesizer();
    new ResultsStack(app, 'results', { synthesizer: new PortableSynthesizer(), keyArn: resultsKeyOf(experiment) });
    new LoadedExperimentStack(app, 'template', {
      experiment: deployed,
      profile: loaded.profile,
      experimentFile: loaded.path,
      runnerFolder: await driverProgram(workingFolder),
      ...(windowUtc === undefined ? {} : { windows: quietWindows(new Date(), windowUtc) }),
      prices: stackPrices(deployed, workingFolder),
      synthesizer,
    });
    app.synth();

    replaceWritten(output, () => {
      mkdirSync(path.join(output, assetPrefix));
      for (const template of ['template', 'results']) copyTemplate(assembly, template, output);
      for (const { fileName, key } of synthesizer.assets) {
        const archive = zipSync(contents(path.join(assembly, fileName)), { mtime: new Date(1980, 0, 1) });
        writeFileSync(path.join(output, key), archive);
      }
      writeFileSync(path.join(output, 'policy.json'), `${JSON.stringify(launchPolicy(deployed), null, 2)}\n`);
      writeFileSync(
        path.join(output, 'LAUNCH.md'),
        launchGuide(experiment.name, {
          assetPrefix,
          windowsKnown: windowUtc !== undefined,
          whenDone: deployed.whenDone,
          lifetimeHours: lifetimeHours(deployed),
          limitDollars: deployed.limits.dollars,
          costs: keptRegions(workingFolder)
            .map((region) => keptCosts(deployed, null, region, workingFolder))
            .filter(({ notKnown }) => notKnown.length === 0),
        }),
      );
    });
  } catch (error) {
    for (const folder of made) removeIfEmpty(folder);
    throw error;
  } finally {
    rmSync(assembly, { recursive: true });
  }
  return { folder: output, warnings: [...loaded.warnings.map(({ message }) => message), ...warnings] };
}

/** @throws {UserError} if the folder holds anything that this command did not write */
function requireOwn(output: string): void {
  const foreign = readdirSync(output).filter((name) => !written.includes(name));
  if (foreign.length === 0) return;
  throw new UserError(
    `--out: ${output} holds ${foreign.slice(0, 3).join(', ')}, which this command did not write. Name a new or an empty folder.`,
  );
}

/** Replaces the files of an earlier start by those of this one: all of them, or none if one cannot be written. */
function replaceWritten(output: string, write: () => void): void {
  const remove = (): void => {
    for (const name of written) rmSync(path.join(output, name), { recursive: true, force: true });
  };
  remove();
  try {
    write();
  } catch (error) {
    remove();
    throw error;
  }
}

function copyTemplate(assembly: string, name: string, output: string): void {
  const template: unknown = JSON.parse(readFileSync(path.join(assembly, `${name}.template.json`), 'utf8'));
  // On one line, since CloudFormation limits the number of bytes.
  writeFileSync(path.join(output, `${name}.json`), JSON.stringify(template));
}

function contents(folder: string): Zippable {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    files
      .filter((file) => statSync(path.join(folder, file)).isFile())
      .map((file) => [file, new Uint8Array(readFileSync(path.join(folder, file)))]),
  );
}

/** The feature flags of the CDK with which pgduet's own stacks are made, whatever the user's cdk.json says. */
function cdkContext(): Record<string, unknown> {
  return cdkJson.parse(JSON.parse(readFileSync(ownFile('cdk.json'), 'utf8'))).context;
}

const cdkJson = z.object({ context: z.record(z.string(), z.unknown()) });
