import { describe, expect, it } from 'vitest';
import { withKnownDefinition } from '../../runner/analysis/open-result.ts';
import type { RunRecord } from '../../runner/contract/run-record.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { recordSample } from '../helpers/samples/sample-result.ts';

const { run } = recordSample({});

/** The run with another definition of its experiment, of any form. */
function withDefinition(definition: object): RunRecord {
  return { ...run, experiment: { ...run.experiment, definition: definition as RunRecord['experiment']['definition'] } };
}

describe('the experiment of a run', () => {
  const { definition } = run.experiment;

  it('is left as it is where all of it is known', () => {
    expect(withKnownDefinition(run, 'a')).toEqual(run);
  });

  it('gets the usual values of what an earlier pgduet did not write', () => {
    const { collect: _, ...earlier } = definition;
    expect(withKnownDefinition(withDefinition(earlier), 'a').experiment.definition.collect).not.toHaveLength(0);
  });

  it('made one exchange where an earlier pgduet wrote that it is a crossover', () => {
    const earlier = { ...definition, protocol: { ...definition.protocol, crossover: true } };
    const known = withKnownDefinition(withDefinition(earlier), 'a').experiment.definition;
    expect(known.protocol.crossover).toEqual({ exchanges: 1 });
    expect(withKnownDefinition(withDefinition(known), 'a').experiment.definition).toEqual(known);
  });

  it('loses what a later pgduet may have written, at any depth', () => {
    const later = { ...definition, later: 1, protocol: { ...definition.protocol, later: { a: [1] } } };
    expect(withKnownDefinition(withDefinition(later), 'a')).toEqual(run);
  });

  it('loses collectors that only another pgduet has', () => {
    const collect = ['memory-and-network', ...definition.collect, 'later'];
    expect(withKnownDefinition(withDefinition({ ...definition, collect }), 'a')).toEqual(run);
  });

  it('is refused, by its place, where it is none', () => {
    const { clients: _, ...workload } = definition.workload;
    const read = (): unknown => withKnownDefinition(withDefinition({ ...definition, workload }), 'results/a');
    expect(read).toThrow(UserError);
    expect(read).toThrow(/^The experiment of the run in results\/a is damaged:\n[^]*workload\.clients/);
  });
});
