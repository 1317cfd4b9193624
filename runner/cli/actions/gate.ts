import path from 'node:path';
import { worstFinding } from '../../analysis/gate.ts';
import { decidingMetric } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { isSqlFolder, type Variant } from '../../contract/experiment/variant.ts';
import type { Gate } from '../../contract/gate.ts';
import type { Result } from '../../contract/result.ts';
import { levelKey } from '../../contract/trial.ts';
import { areEqual } from '../../experiment/plan/differences.ts';
import { codeOf, codeOfOptions } from '../../experiment/trust.ts';
import { realPath } from '../../files/look.ts';
import { writeFileIn } from '../../files/write.ts';
import { gateJunit } from '../../report/gate/junit.ts';
import { gateSummary } from '../../report/gate/summary.ts';
import { gateLine, powerWords } from '../../report/gate/words.ts';
import { renderEnd, renderQuietEnd } from '../../report/terminal/end.ts';
import { hashLargeFiles } from '../../workloads/loaded-with.ts';
import { type Io, say } from '../io.ts';
import {
  bindirOption,
  count,
  describeArguments,
  type FailOnOptions,
  failOnOption,
  type Loudness,
  outOption,
  profileToRunOption,
  quietMachineOption,
  quietOption,
  ratio,
  runNamed,
  seedOption,
  trustOption,
  verboseOption,
  volumesOption,
} from '../options.ts';
import type { Declare } from '../verb.ts';
import { type Consent, consentTo } from './consent.ts';
import { commitOf, filesOfCommit, keepTree, type Repository, repositoryAround } from '../../run/commits.ts';
import {
  gatedVariant,
  type GateSide,
  inRepository,
  isBuilt,
  namedBy,
  sides,
  withFilesAt,
  withSourceAt,
} from './gate-experiment.ts';
import { type AskedOfGate, foundBefore, planGate } from './gate-plan.ts';
import { loadToRun, type LoadedToRun } from './load-to-run.ts';
import { keepResult, locationOf } from './present-result.ts';
import { runLocal, type VerbOptions } from './run-verb.ts';

export interface GateOptions
  extends FailOnOptions, Loudness, Pick<VerbOptions, 'profile' | 'seed' | 'quietMachine' | 'pgBindir' | 'volumes'> {
  base: string;
  head: string;
  minutes: number;
  variant?: string;
  threshold?: number;
  always?: true;
  summary?: string;
  junit?: string;
  out: string;
  trust?: string;
  json?: true;
}

/**
 * `pgduet gate`: measures what differs between two commits, and the first commit again, and says whether the second one
 * may be merged.
 *
 * @throws {UserError} if a commit, a file or a variant is not there, or the minutes are too few for an answer
 */
export async function gate(name: string, options: GateOptions, io: Io): Promise<void> {
  const asked = await askedOf(name, options, io);
  if (areEqual(asked.base.variant, asked.head.variant) && !options.always) {
    await tell({ ...gateOf(asked), outcome: 'pass', because: 'nothing-differs' }, null, options, io);
    return;
  }
  const word = await consentTo(codeOf(asked.own), { ...options, warnings: asked.own.warnings }, io);
  const how = { ...options, profile: asked.own.profile, local: true, mayInstall: true } as const;
  const planned = await planGate(asked, how, io);
  const consent = await consentOf(word, planned, io);
  const finds = await foundBefore(planned.experiment, options.out, io);
  if (!options.quiet) say(`${powerWords(planned.experiment, { minutes: options.minutes, finds })}\n`, io);
  const present: Presenting = async (result, store) => {
    await keepResult(result, store, io);
    const found = { ...gateOf(asked, result), finds, run: locationOf(store, io.workingFolder) };
    await tell(found, result, options, io);
  };
  await runLocal(planned, { load: true, run: true }, { ...options, consent, present, more: '' }, io);
  io.signal.throwIfAborted();
}

type Presenting = NonNullable<Parameters<typeof runLocal>[2]['present']>;

async function askedOf(name: string, options: GateOptions, io: Io): Promise<AskedOfGate> {
  const repository = await repositoryAround(io.workingFolder, { environment: io.environment, signal: io.signal });
  const own = await loadToRun(name, { ...options, local: true, mayInstall: true }, io);
  const written = own.inProfiles.get(own.profile) ?? own.experiment;
  const variant = gatedVariant(written, options.variant);
  const trees = path.resolve(io.workingFolder, options.out, '.trees');
  const sideOf = (option: 'base' | 'head'): Promise<GateSide> =>
    sideAt({ ref: options[option], option }, variant, { own, repository, trees });
  const [base, head] = [await sideOf('base'), await sideOf('head')];
  if (!isBuilt(variant, inOwn(own, repository))) requireSome(variant, [base, head]);
  return { own, written, base, head, threshold: options.threshold ?? written.decision.practicalThreshold };
}

/** A commit with the variant whose files are those of the commit. */
async function sideAt(
  { ref, option }: { ref: string; option: string },
  variant: Variant,
  { own, repository, trees }: { own: LoadedToRun; repository: Repository; trees: string },
): Promise<GateSide> {
  const commit = await commitOf(ref, option, repository);
  const folder = realPath(path.dirname(own.path));
  const top = realPath(repository.folder);
  const names = namedBy(variant).flatMap((name) => inRepository(name, folder, top) ?? []);
  const files = await filesOfCommit(commit, names, repository);
  const tree = await keepTree(files, trees);
  const placeOf = (name: string): string | null => {
    const within = inRepository(name, folder, top);
    if (within === null) return name;
    const isThere = isSqlFolder(name)
      ? [...files.keys()].some((one) => one.startsWith(`${within}/`))
      : files.has(within);
    const place = path.relative(folder, path.join(tree, within));
    return isThere ? (isSqlFolder(name) ? `${place}/` : place) : null;
  };
  const built = withSourceAt(variant, inOwn(own, repository), commit);
  return { ref, commit, variant: withFilesAt(built, placeOf, commit) };
}

/** Whether a folder that an experiment names is in its repository. An address is not. */
function inOwn({ path: file }: LoadedToRun, { folder }: Repository): (named: string) => boolean {
  return (named) =>
    !named.includes(':') && inRepository(named, realPath(path.dirname(file)), realPath(folder)) !== null;
}

/** @throws {UserError} if a variant has nothing that a commit could change */
function requireSome(variant: Variant, [base, head]: readonly [GateSide, GateSide]): void {
  if (namedBy(variant).length > 0) return;
  throw new UserError(
    `Nothing of this variant comes from the repository, so ${base.ref} and ${head.ref} cannot differ. Name files of the repository in its prepare or scripts, or build engine.source or extension.source from it.`,
  );
}

/** What the user agreed to holds for the two commits of the same files. */
async function consentOf(word: Consent, planned: LoadedToRun, { signal }: Io): Promise<Consent> {
  if (word.agreed === undefined) return word;
  const { names, folder } = codeOfOptions(planned, path.dirname(planned.path));
  return { ...word, agreed: await hashLargeFiles(names, folder, signal) };
}

/** @param result absent if nothing was measured */
function gateOf({ written, base, head, threshold }: AskedOfGate, result?: Result): Gate {
  const judged = result?.comparisons.filter(({ primary, withheld }) => primary || withheld.length > 0) ?? [];
  const { finding, own } = worstFinding(
    judged.filter(({ candidate }) => candidate.variant === sides.head),
    threshold,
  );
  const control = judged.find(
    ({ candidate, conditions }) =>
      candidate.variant === sides.repeat && own !== undefined && levelKey(conditions) === levelKey(own.conditions),
  );
  return {
    kind: 'pgduet-gate',
    experiment: written.name,
    ...finding,
    base: { ref: base.ref, commit: base.commit },
    head: { ref: head.ref, commit: head.commit },
    metric: decidingMetric(written.decision),
    threshold,
    change: own?.change ?? null,
    interval: own?.interval ?? null,
    control: control ? { change: control.change, interval: control.interval } : null,
    finds: null,
    blocks: own?.candidate.n ?? 0,
    run: null,
  };
}

/** Shows what a gate found, writes the files that were asked for, and sets the exit code. */
async function tell(found: Gate, result: Result | null, options: GateOptions, io: Io): Promise<void> {
  const { summary, junit, json, quiet } = options;
  if (json) io.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  else {
    if (result) io.stdout.write(quiet ? renderQuietEnd(result, io) : `\n${renderEnd(result, io)}`);
    io.stdout.write(`${result ? '\n' : ''}  Gate     ${gateLine(found)}\n`);
    if (found.run !== null && !quiet) io.stderr.write(`  Report   ${found.run}/report.html\n`);
  }
  for (const [file, content] of [
    [summary, gateSummary(found, result)],
    [junit, gateJunit(found)],
  ] as const) {
    if (file === undefined) continue;
    const place = path.resolve(io.workingFolder, file);
    await writeFileIn(path.dirname(place), path.basename(place), content);
  }
  if (isUnwanted(found, options) || isCutOff(result)) io.setExitCode(1);
}

/** Only a regression fails by itself. */
function isUnwanted({ outcome, because }: Gate, { failOn = [] }: FailOnOptions): boolean {
  if (outcome === 'no-verdict') return failOn.includes(because === 'withheld' ? 'withheld' : 'inconclusive');
  return outcome === 'fail';
}

/** Trials have no result, but not because the minutes were over. */
function isCutOff(result: Result | null): boolean {
  return result !== null && !result.complete && result.stoppedBy?.id !== 'limit-reached';
}

export const declare: Declare = (command, io) => {
  describeArguments(command, runNamed);
  command
    .requiredOption('--base <ref>', 'commit, branch or tag to compare with, such as origin/main')
    .option('--head <ref>', 'commit, branch or tag that may be merged', 'HEAD')
    .option('--minutes <number>', 'the run ends within this time', count, 12)
    .option(
      '--threshold <ratio>',
      'largest loss that passes; 0.05 means 5% (default: decision.practicalThreshold)',
      ratio(),
    )
    .option('--variant <name>', 'variant whose files are taken from both commits (default: the baseline)')
    .option('--always', 'measure also if nothing that is measured differs between the commits')
    .option('--summary <file>', 'write a summary in Markdown, for a pull request')
    .option('--junit <file>', 'write the outcome as JUnit XML')
    .addOption(failOnOption())
    .addOption(profileToRunOption())
    .addOption(seedOption())
    .addOption(quietMachineOption())
    .addOption(outOption())
    .addOption(bindirOption())
    .addOption(volumesOption())
    .addOption(trustOption())
    .addOption(quietOption())
    .addOption(verboseOption())
    .option('--json', 'print the outcome as JSON')
    .action((name: string, options: GateOptions) => gate(name, options, io));
};
