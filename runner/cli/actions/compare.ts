import { distinctWarnings } from '../../contract/warnings.ts';
import { openBuckets } from '../../rds/bucket/bucket-run.ts';
import { compareSources, type ComparedSources } from '../../analysis/sources/compare-sources.ts';
import { readSource } from '../../analysis/sources/source.ts';
import { UserError } from '../../contract/errors.ts';
import type { Decision } from '../../contract/experiment/schema.ts';
import { nearest } from '../../experiment/file/near-words.ts';
import { declarableMetrics, metricNamed } from '../../metrics/catalogue.ts';
import { tableBlock } from '../../report/sections/section.ts';
import { renderAnswers, renderBlocks, renderComparisons } from '../../report/terminal/terminal.ts';
import { hanging, wrap } from '../../report/media/wrap.ts';
import { type FailOnOptions, failOnUnwanted } from '../options.ts';
import type { Io } from '../io.ts';
import type { Declare } from '../verb.ts';
import { describeArguments, failOnOption, ratio, unverifiedOption } from '../options.ts';
import { sidesTable } from '../../report/sections/settings.ts';
import { worthSentences } from '../../report/sections/costs.ts';

export interface CompareOptions extends FailOnOptions {
  paired?: true;
  across?: string[];
  metric?: string;
  threshold?: number;
  level?: number;
  json?: true;
  unverified?: true;
}

/** Compares each candidate with the baseline. What differs between them all is printed first. */
export async function compare(
  baseline: string,
  candidates: readonly string[],
  options: CompareOptions,
  io: Io,
): Promise<void> {
  const { workingFolder, signal } = io;
  const how = { workingFolder, signal, openRemote: openBuckets, unverified: options.unverified ?? false };
  const first = await readSource(baseline, how);
  const compared: ComparedSources[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const source = await readSource(candidate, how);
    const role = candidates.length > 1 ? `candidate ${index + 1}` : 'candidate';
    compared.push(
      compareSources(first, source, {
        paired: options.paired ?? false,
        across: options.across ?? [],
        decision: decisionOf(options),
        role,
      }),
    );
  }
  const comparisons = compared.flatMap((one) => one.comparisons);
  for (const { message } of distinctWarnings(compared.flatMap(({ warnings }) => warnings))) {
    io.stderr.write(`${hanging('warning: ', message, io.errorColumns).join('\n')}\n`);
  }
  failOnUnwanted(comparisons, [...new Set(compared.flatMap(({ controls }) => controls))], options, io);
  if (options.json) {
    io.stdout.write(`${JSON.stringify(comparisons, null, 2)}\n`);
    return;
  }
  const methods = new Set(comparisons.filter(({ primary }) => primary).map(({ method }) => `Method: ${method}.`));
  const differences = sidesTable(compared.flatMap(({ sides }) => sides));
  io.stdout.write(
    `${[
      ...(differences.rows.length > 0 ? [renderBlocks([tableBlock(differences)], io)] : []),
      renderComparisons(comparisons, io),
      renderAnswers(
        compared.map((one) => ({ ...one, context: { ...one.decision, controls: one.controls } })),
        io,
      ),
      ...compared.flatMap((one) =>
        worthSentences(one.comparisons, one.servers).map((words) => wrap(words, io.columns).join('\n')),
      ),
      ...[...methods].map((method) => wrap(method, io.columns).join('\n')),
    ].join('\n\n')}\n`,
  );
}

/** @throws {UserError} if the metric cannot decide */
function decisionOf({ metric, threshold, level }: CompareOptions): Partial<Decision> {
  const [name = '', ...script] = metric?.split('@') ?? [];
  if (metric !== undefined && !(declarableMetrics.includes(name) && metricNamed(metric)?.declarable)) {
    const hint = nearest(metric, declarableMetrics, (word) => ` Did you mean ${word}?`);
    throw new UserError(
      `--metric ${metric}: cannot be the deciding metric.${hint} Choose from ${declarableMetrics.join(', ')}.`,
    );
  }
  return {
    ...(metric === undefined ? {} : { metric: name, script: script.length > 0 ? script.join('@') : undefined }),
    ...(threshold === undefined ? {} : { practicalThreshold: threshold }),
    ...(level === undefined ? {} : { level }),
  };
}

const examples = `
Examples:
  pgduet compare results/quick/latest results/quick/latest
      every variant of a result against its baseline, block by block
  pgduet compare results/quick/latest#without-log-volume results/quick/latest#with-log-volume
      two variants of a result, block by block
  pgduet compare results/quick/2026-11-20T10-00-00Z results/quick/latest
      each variant of one run against the same variant of another: described, without a verdict
  pgduet compare results/quick/2026-11-20T10-00-00Z results/quick/2026-11-21T10-00-00Z s3://bucket/results/quick
      any number of results, each compared with the first; the differences between them are listed first
  pgduet compare a1.log,a2.log,a3.log b1.log,b2.log,b3.log
      outputs of pgbench: described, without a verdict

Only variants of the same run can get a verdict, because only their order is known to be random. A verdict needs six blocks, or more with several variants. Metric, threshold and level default to the experiment’s values, or to tps, 0.05 and 0.95. If you set any of them here, the comparison is exploratory and gets no verdict.`;

export const declare: Declare = (command, io) => {
  describeArguments(
    command,
    'FOLDER or FOLDER#VARIANT (an s3:// address works too), or pgbench outputs FILE,FILE,...',
    'one or more of the same kind, each compared with the baseline',
  );
  command
    .option('--paired', 'pair runs in order (first with first) and show the change in each pair')
    .option(
      '--across <conditions>',
      'compare sides that differ in these, comma-separated, such as clients,queryMode',
      (text) => text.split(','),
    )
    .option('--metric <name>', 'metric to compare, such as tps, runtime or latency.p99')
    .option(
      '--threshold <ratio>',
      'smallest change that matters: 0.05 means 5%, or 5 percentage points for a share',
      ratio(0, 1),
    )
    .option('--level <ratio>', 'confidence level of the intervals, such as 0.95', ratio(0.5, 1))
    .addOption(failOnOption())
    .addOption(unverifiedOption())
    .option('--json', 'print the comparisons as a JSON array')
    .addHelpText('after', examples)
    .action((baseline: string, candidates: string[], options: CompareOptions) =>
      compare(baseline, candidates, options, io),
    );
};
