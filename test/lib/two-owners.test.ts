import { describe, expect, it } from 'vitest';
import { experimentStack, synthesize } from '../helpers/synthesize.ts';

const of = (owner: string) => synthesize(experimentStack('dlv-pgbench', { profile: 'replicas', owner }));
const [alice, bob] = [of('alice'), of('bob')];

/** Properties that are called a name and are none of the resource itself in its account and Region. */
const notOwnNames = /^(AWS::RDS::DB(Instance|Cluster) (DBName|DatabaseName)|AWS::IAM::Policy PolicyName)$/;

/** The names that a template gives, as it writes them. What is missing there is named by CloudFormation, after the stack. */
function namesIn({ json }: typeof alice): string[] {
  return Object.values(json.Resources).flatMap(({ Type, Properties = {} }) =>
    Object.entries(Properties).flatMap(([key, value]) =>
      /(Name|Identifier)$/.test(key) && typeof value === 'string' && !notOwnNames.test(`${Type} ${key}`)
        ? [`${Type} ${key} ${value}`]
        : [],
    ),
  );
}

describe('two owners of one experiment in one account', () => {
  it('have stacks that give no resource the same name', () => {
    expect(namesIn(alice).length).toBeGreaterThan(4);
    expect(namesIn(alice).filter((name) => namesIn(bob).includes(name))).toEqual([]);
    // They are the same but for the owner.
    expect(namesIn(alice).map((name) => name.replaceAll('alice', 'bob'))).toEqual(namesIn(bob));
  });

  it('have drivers that write results below the prefix of their own owner and stack alone', () => {
    for (const [one, owner] of [
      [alice, 'alice'],
      [bob, 'bob'],
    ] as const) {
      const roles = JSON.stringify(one.resources('AWS::IAM::Role'));
      const prefixes = [...roles.matchAll(/\/dlv-pgbench\/([^/"]*)\//g)].map(([, found]) => found);
      expect(prefixes.length).toBeGreaterThan(0);
      expect(new Set(prefixes)).toEqual(new Set([owner]));
    }
  });

  it('have nothing of each other’s in their stacks', () => {
    expect(JSON.stringify(alice.json)).toContain('alice');
    expect(JSON.stringify(alice.json)).not.toContain('bob');
    expect(JSON.stringify(bob.json)).not.toContain('alice');
  });
});
