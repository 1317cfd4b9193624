import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { PortableSynthesizer } from '../../lib/portable-synthesizer.ts';
import { experimentStack, synthesize, type TestStackOptions } from '../helpers/synthesize.ts';

interface Rule {
  Assertions: { Assert: { 'Fn::Contains': [string[], { Ref: string }] }; AssertDescription: string }[];
}

/** Rules and the defaults of the parameters that they are about, of the stack of dlv-pgbench. */
function demands(options: TestStackOptions = {}): { rules: Rule[]; defaults: Record<string, string> } {
  const json = synthesize(experimentStack('dlv-pgbench', options)).json as unknown as {
    Rules: Record<string, Rule>;
    Parameters: Record<string, { Default: string }>;
  };
  return {
    rules: ['SameMadeAs', 'SameLoadedWith'].map((name) => json.Rules[name] ?? { Assertions: [] }),
    defaults: Object.fromEntries(Object.entries(json.Parameters).map(([name, { Default }]) => [name, Default])),
  };
}

/** What CloudFormation would say about these parameters; empty if it goes on. */
function refusals({ rules }: { rules: Rule[] }, parameters: Record<string, string>): string[] {
  const assertions = rules.flatMap(({ Assertions }) => Assertions);
  return assertions.flatMap(({ Assert: { 'Fn::Contains': contains }, AssertDescription }) =>
    contains[0].includes(parameters[contains[1].Ref] ?? '') ? [] : [AssertDescription],
  );
}

const restoring = (experiment: Experiment): Experiment => ({
  ...experiment,
  protocol: { ...experiment.protocol, reset: ['restore'] },
});

describe('the rules of a template', () => {
  const full = demands();
  const smoke = demands({ profile: 'smoke' });

  it('let it make a stack, also without the CDK', () => {
    expect(refusals(full, full.defaults)).toEqual([]);
    const portable = demands({ portable: new PortableSynthesizer() });
    expect(refusals(portable, portable.defaults)).toEqual([]);
    expect(portable.defaults).toMatchObject({ MadeAs: full.defaults['MadeAs'] });
  });

  it('let in another protocol, a day later, over the values of the stack that is there', () => {
    const longer = demands({
      now: new Date('2026-11-22T03:00Z'),
      change: (experiment) => ({ ...experiment, protocol: { ...experiment.protocol, blocks: 20 } }),
    });
    expect(refusals(longer, full.defaults)).toEqual([]);
    expect(refusals(demands({ profile: 'published' }), full.defaults)).toEqual([]);
  });

  it('refuse another scale, and say what is asked for, where to look, and what to do', () => {
    expect(refusals(full, smoke.defaults)).toEqual([
      expect.stringMatching(
        /^dlv-pgbench, profile full, needs different data than the databases contain\. Requested: pgbench \{"scale":10000.* The stack parameter LoadedWith shows what the stack has\. Destroy the stack first \(npx cdk destroy/,
      ),
    ]);
  });

  it('refuse other databases', () => {
    expect(refusals(demands({ profile: 'replicas' }), full.defaults)).toEqual([
      expect.stringMatching(
        /^dlv-pgbench, profile replicas, needs different databases.* Requested: 3 of each of with-dlv \(/,
      ),
    ]);
  });

  it('refuse to restore databases of which no copy was kept, and not the other way round', () => {
    const restored = demands({ change: restoring });
    expect(refusals(restored, restored.defaults)).toEqual([]);
    expect(refusals(restored, full.defaults)).toHaveLength(1);
    expect(refusals(full, restored.defaults)).toEqual([]);
  });
});
