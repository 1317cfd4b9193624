import { warningMeanings } from '../../contract/warnings.ts';
import type { CheckDefinition } from '../../analysis/validity/check.ts';
import { doubtDefinitions } from '../../analysis/validity/doubts.ts';
import { everyCheck } from '../../analysis/validity/registry.ts';
import type { Effect, ProblemCode } from '../../contract/check.ts';
import { probes } from '../../contract/probes.ts';
import { problemRules } from '../../contract/problem-rules.ts';
import type { Metric } from '../../contract/metric.ts';
import { UserError, withoutStop } from '../../contract/errors.ts';
import { failureMeanings } from '../../contract/failures.ts';
import type { Meaning } from '../../contract/meaning.ts';
import { stopMeanings } from '../../contract/stop.ts';
import { findingMeanings } from '../../contract/verification.ts';
import { withheldMeanings } from '../../contract/withheld.ts';
import { ownCommand } from '../../contract/own-command.ts';
import { nearWords } from '../../experiment/file/near-words.ts';
import { catalogue, declarableMetrics, metricNamed } from '../../metrics/catalogue.ts';
import { hanging } from '../../report/media/wrap.ts';
import type { Io } from '../io.ts';
import { describeArguments } from '../options.ts';
import type { Declare } from '../verb.ts';

/** What an id of result.json, report.json or `--json` means. */
interface Explained {
  id: string;
  kind: 'check' | 'doubt' | 'failure' | 'finding' | 'metric' | 'probe' | 'problem' | 'stop' | 'warning' | 'withheld';
  /** For people. */
  name: string;
  /** What it says, what it can change, and what to do; a sentence each. */
  says: readonly string[];
}

const changed: Readonly<Record<Effect, string>> = {
  answer: 'the answer',
  size: 'the size of the effect',
  'other-figures': 'other figures than the answer',
  none: 'no figure',
};

function explainDefinition(
  kind: 'check' | 'doubt',
  { id, name, couldChange = 'size', remedy }: CheckDefinition,
): Explained {
  const could = `could change ${changed[couldChange]}.`;
  const means = kind === 'doubt' ? `It ${could}` : `If it fails, it withholds the verdict. A warning ${could}`;
  return { id, kind, name, says: [means, `Remedy: ${remedy}`] };
}

function explainMetric({ name, label, unit, better, source, declarable = false }: Metric): Explained {
  const declared = declarableMetrics.includes(name)
    ? 'An experiment may declare it as the deciding metric.'
    : 'An experiment may declare it as the deciding metric, by its name before @ and with decision.script.';
  const decides = declarable ? declared : 'It decides no verdict.';
  return {
    id: name,
    kind: 'metric',
    name: label,
    says: [
      `Unit: ${unit === '1' ? 'a count or a share' : unit}; ${better} is better. ${decides}`,
      `Source: ${source}.`,
    ],
  };
}

const blocksRun = `Until it is fixed, the experiment can be neither planned nor run. See the plan: ${ownCommand} plan NAME.`;
const codes: Readonly<Record<ProblemCode, readonly [name: string, remedy: string]>> = {
  syntax: ['text that is no YAML', 'Correct the text at the place that the message names.'],
  missing: ['something that is missing', 'Add it, or remove what needs it.'],
  'unknown-key': ['a key that is unknown', 'Use one of the keys allowed there.'],
  'unknown-parameter': ['a parameter that the server does not have', 'Use a parameter name of this version.'],
  'wrong-key': ['a key that does not fit the others', 'Remove one of them.'],
  'wrong-value': ['a value that is not allowed', 'Use a value that the message expects.'],
  'wrong-part': ['something wrong in a text or file that the experiment names', 'Correct that text or file.'],
  'not-deployable': ['something that RDS does not offer', 'Change it, or measure at another place.'],
};
const problems = Object.entries(codes).map(([id, [name, remedy]]): Explained => ({
  id,
  kind: 'problem',
  name,
  says: [blocksRun, `Remedy: ${remedy}`],
}));

const rules = Object.entries(problemRules).map(([id, [rule, remedy]]): Explained => ({
  id,
  kind: 'problem',
  name: `broken rule: ${rule}`,
  says: [blocksRun, `Remedy: ${remedy}`],
}));

function explainMeanings(kind: Explained['kind'], meanings: Readonly<Record<string, Meaning>>): Explained[] {
  return Object.entries(meanings).map(([id, { meaning, remedy }]) => ({
    id,
    kind,
    name: withoutStop(meaning),
    says: [`Remedy: ${remedy}`],
  }));
}

const all: readonly Explained[] = [
  ...everyCheck.map((check) => explainDefinition('check', check)),
  ...Object.values(doubtDefinitions).map((doubt) => explainDefinition('doubt', doubt)),
  ...catalogue.map(explainMetric),
  ...problems,
  ...rules.filter(({ id }) => !(id in codes)),
  ...explainMeanings('failure', failureMeanings),
  ...explainMeanings('finding', findingMeanings),
  ...explainMeanings('probe', probes),
  ...explainMeanings('warning', warningMeanings),
  ...explainMeanings('withheld', withheldMeanings),
  ...explainMeanings('stop', stopMeanings),
];

/** @throws {UserError} with near ids, if there is no such id */
function explained(id: string): Explained[] {
  const found = all.filter((one) => one.id === id);
  if (found.length > 0) return found;
  // Results have the members of a family such as `waits.<event>`.
  const member = metricNamed(id);
  if (member) return [explainMetric(member)];
  const near = nearWords(id, [...new Set(all.map((one) => one.id))]).slice(0, 5);
  const remedy = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `See all: ${ownCommand} explain`;
  throw new UserError(`Unknown id: ${id}. ${remedy}`, { failure: 'unknown-id' });
}

/** `pgduet explain ID`: what an id stands for, what it can change, and the remedy; all ids if none is named. */
export function explain(id: string | undefined, options: { json?: true }, io: Io): void {
  const found = id === undefined ? all : explained(id);
  if (options.json) {
    io.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
    return;
  }
  const lines = found.flatMap(({ id: one, kind, name, says }) => [
    ...hanging(
      id === undefined ? kind.padEnd(9) : '',
      `${one}: ${id === undefined ? '' : `${kind}, `}${name}`,
      io.columns,
    ),
    ...(id === undefined ? [] : says.flatMap((text) => hanging('  ', text, io.columns))),
  ]);
  io.stdout.write(`${lines.join('\n')}\n`);
}

export const declare: Declare = (command, io) => {
  describeArguments(
    command,
    'of a check, caveat, failure, finding, metric, probe, problem, early stop, warning or reason without a verdict (default: list all)',
  );
  command
    .option('--json', 'print what was found as a JSON array')
    .action((id: string | undefined, options: { json?: true }) => explain(id, options, io));
};
