import { compareSources, type ComparedSources } from '../../analysis/sources/compare-sources.ts';
import { readSource } from '../../analysis/sources/source.ts';
import { UserError } from '../../contract/errors.ts';
import type { Decision } from '../../contract/experiment/schema.ts';
import { nearest } from '../../experiment/file/problems.ts';
import { declarableMetrics, metricNamed } from '../../metrics/catalogue.ts';
import { tableBlock } from '../../report/sections/section.ts';
import { renderAnswers, renderBlocks, renderComparisons } from '../../report/terminal/terminal.ts';
import { hanging, wrap } from '../../report/media/wrap.ts';
import { viewCosts } from '../../report/view/costs-view.ts';
import { sidesTable } from '../../report/view/sides-table.ts';
import { type FailOnOptions, failOnUnwanted } from '../options.ts';
import type { Io } from '../io.ts';

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
  const how = { workingFolder, signal, unverified: options.unverified ?? false };
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
  for (const warning of new Set(compared.flatMap(({ warnings }) => warnings))) {
    io.stderr.write(`${hanging('warning: ', warning, io.errorColumns).join('\n')}\n`);
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
        viewCosts(one.comparisons, one.servers).worth.map((words) => wrap(words, io.columns).join('\n')),
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
      `--metric ${metric}: not a metric that can decide.${hint} Choose from ${declarableMetrics.join(', ')}.`,
    );
  }
  return {
    ...(metric === undefined ? {} : { metric: name, script: script.length > 0 ? script.join('@') : undefined }),
    ...(threshold === undefined ? {} : { practicalThreshold: threshold }),
    ...(level === undefined ? {} : { level }),
  };
}
