import { describe, expect, it } from 'vitest';
import { deployable } from '../../runner/rds/deploy/deployable.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { experimentStack, project, synthesize } from '../helpers/synthesize.ts';
import { hostile } from '../sinks/hostile.ts';

/** Without the beginning of a substitution, which is refused. */
const question = `${hostile} {"Ref":"AWS::Region"} %{x}`.replaceAll('${', '$ {');

/** Every text of a template that CloudFormation takes as it is: not the pattern of a substitution. */
function literals(value: unknown, inSubstitution = false): string[] {
  if (typeof value === 'string') return inSubstitution ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => literals(inner, inSubstitution || key === 'Fn::Sub'));
}

describe('hostile texts in CloudFormation', () => {
  it('stay texts: in no substitution, and without a resource that a harmless experiment has not', () => {
    const harmless = synthesize(experimentStack('dlv-pgbench')).json;
    const { json } = synthesize(
      experimentStack('dlv-pgbench', { change: (experiment) => ({ ...experiment, question }) }),
    );
    const types = (of: typeof json): string[] =>
      Object.values(of.Resources)
        .map(({ Type }) => Type)
        .sort();
    expect(types(json)).toEqual(types(harmless));
    expect(literals(json).join('\n')).toContain('owned');
    expect(JSON.stringify(json).split('owned').length).toBe(literals(json).join('').split('owned').length);
  });

  it.each(['{{resolve:secretsmanager:other}}', '${Token[AWS.AccountId.3]}', '${AWS::Region}', '#{Token[TOKEN.1]}'])(
    'are refused where a deploy would replace them: %s',
    (text) => {
      const { experiment, profile } = loadExperiment('dlv-pgbench', { folder: project });
      expect(() => deployable({ ...experiment, question: `a ${text}` }, profile)).toThrow(
        /question contains .* replace/,
      );
      expect(() => deployable({ ...experiment, tags: { [text]: 'x' } }, profile)).toThrow(/tags\..* replace/);
    },
  );
});
