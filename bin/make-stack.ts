import { Annotations, App, type AppProps } from 'aws-cdk-lib';
import { distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { LoadedExperimentStack } from '../lib/experiment-stack.ts';
import { experimentStackName } from '../runner/rds/deploy/identifiers.ts';
import { quietWindows } from '../lib/quiet-windows.ts';
import { ResultsStack, resultsStackName } from '../lib/results-stack.ts';
import { driverProgram } from '../lib/driver-program.ts';
import { stackPrices } from '../runner/rds/prices/bill.ts';
import { namedRegion, regionOf } from '../runner/rds/prices/kept-prices.ts';
import { requireDeployable } from '../runner/rds/prices/limits.ts';
import { keysOf, requireKeysOf } from '../runner/rds/deploy/keys.ts';
import { keyArnPattern } from '../runner/contract/experiment/deployment.ts';
import { loadExperiment } from '../runner/experiment/file/load.ts';
import { loginName, ownerOfDeploy, sharedOwnerWarning } from '../runner/rds/deploy/owner.ts';
import { requireTrusted } from '../runner/experiment/trust.ts';
import { inZone } from '../runner/rds/deploy/zone.ts';
import { type Binding, runningChoices } from '../runner/rds/contract/binding.ts';
import { UserError } from '../runner/contract/errors.ts';

/** What `-c` may say. */
const known = [
  'experiment',
  'stack',
  'profile',
  'owner',
  'running',
  'assetKey',
  'resultsKey',
  'zone',
  'trust',
] as const;

// The folder of cdk.json: it may hold experiments, prices and certificates of the user's own.
const workingFolder = process.cwd();
// Under umask 000, other users could change the templates and assets that are deployed next.
process.umask(process.umask(0o077) | 0o002);

/**
 * Makes one stack per invocation. So deploy and destroy need no stack name, and cannot reach the results by mistake.
 *
 * @param options of the app. @default what the CDK's command line says in the environment
 * @returns the app, which the CDK's command line synthesizes when the process ends
 */
export async function makeStack(options: AppProps = {}): Promise<App> {
  // The CDK's validator takes several seconds to start. It checks the templates of all ready experiments in our tests, and
  // cfn-lint, which has the same rules, those of a repository made by `pgduet init`.
  const app = new App({ ...options, builtinCloudFormationValidation: false });
  requireNoMisspelt(app);
  const words = contextWords(app);
  const { experiment, stack, profile, owner, zone } = words;
  const assetKeyArn = checkedKeyArn('assetKey', words.assetKey);
  const resultsKeyArn = checkedKeyArn('resultsKey', words.resultsKey);
  // Without credentials and AWS_REGION, the template is for no Region in particular.
  const named = namedRegion(process.env);
  if (stack === 'results' && experiment === undefined) {
    if (named !== undefined) requireKeysOf(named, { '-c resultsKey': resultsKeyArn });
    new ResultsStack(app, resultsStackName, { keyArn: resultsKeyArn });
    return app;
  }
  if (experiment === undefined || stack !== undefined) {
    throw new UserError(
      'Name the stack: -c stack=results once for each account and Region, then -c experiment=NAME [-c profile=P] [-c owner=WHO] [-c zone=ZONE].',
    );
  }
  const loaded = loadExperiment(experiment, { folder: workingFolder, profile });
  requireTrusted(loaded, words.trust, { word: '-c trust=', environment: process.env });
  if (named !== undefined) requireKeysOf(named, keysOf(loaded.experiment));
  const who = ownerOfDeploy(owner);
  const shared = owner === undefined ? sharedOwnerWarning(loginName()) : null;
  const region = regionOf(process.env);
  const placed = zone === undefined ? loaded.experiment : inZone(loaded.experiment, zone, region);
  const { deployed, warnings } = requireDeployable(placed, loaded.profile, region, workingFolder);
  const made = new LoadedExperimentStack(app, experimentStackName(loaded.experiment.name, who), {
    experiment: deployed,
    profile: loaded.profile,
    experimentFile: loaded.path,
    owner: who,
    running: checkedRunning(words.running),
    runnerFolder: await driverProgram(workingFolder),
    ...(assetKeyArn === undefined ? {} : { assetKeyArn }),
    prices: stackPrices(deployed, workingFolder),
    windows: quietWindows(new Date(), loaded.experiment.backups.windowUtc),
  });
  [...loaded.warnings.map(({ message }) => message), ...warnings, ...(shared === null ? [] : [shared])].forEach(
    (warning, index) => Annotations.of(made).addWarningV2(`pgduet:${index}`, warning),
  );
  return app;
}

function checkedRunning(word = 'finish'): Binding['running'] {
  const choice = runningChoices.find((known) => known === word);
  if (choice !== undefined) return choice;
  throw new UserError(
    `-c running=${word}: expected ${runningChoices.join(' or ')}. It decides what happens to a run in progress.`,
  );
}

/** @throws {UserError} if it is not the ARN of a key: a policy cannot name an alias as a resource */
function checkedKeyArn(word: string, arn: string | undefined): string | undefined {
  if (arn === undefined || keyArnPattern.test(arn)) return arn;
  throw new UserError(
    `-c ${word}=${arn} is not the ARN of a KMS key, such as arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab.`,
  );
}

/**
 * The CDK takes any word. Without this, `-c profil=smoke` would deploy the whole experiment, at its full price.
 *
 * @throws {UserError} naming the word that was meant. Others may be of the user's own ~/.cdk.json
 */
function requireNoMisspelt(app: App): void {
  const words: readonly string[] = known;
  const contextKeys = Object.keys(z.record(z.string(), z.unknown()).parse(app.node.getAllContext()));
  // Those of the CDK and of its look-ups contain one of these characters.
  for (const word of contextKeys.filter((one) => !words.includes(one) && !/[@/:]/.test(one))) {
    const lower = word.toLowerCase();
    const limit = word.length < 4 ? 0 : word.length < 6 ? 1 : 2;
    const near = words.find((one) => distance(lower, one.toLowerCase()) <= limit);
    if (near !== undefined) throw new UserError(`-c ${word}: unknown context key. Did you mean -c ${near}?`);
  }
}

function contextWords(app: App): Partial<Record<(typeof known)[number], string>> {
  const words: ReturnType<typeof contextWords> = {};
  for (const name of known) {
    const value: unknown = app.node.tryGetContext(name);
    if (typeof value === 'string' && value !== '') words[name] = value;
  }
  return words;
}
