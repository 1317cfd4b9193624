import { expect, it } from 'vitest';
import { loadCdk } from '../../bin/load-cdk.ts';
import { UserError } from '../../runner/contract/errors.ts';
import packageJson from '../../package.json' with { type: 'json' };

const load = () => Promise.resolve('loaded');

it('what needs the CDK is loaded if its packages are installed', async () => {
  expect(await loadCdk(load)).toBe('loaded');
});

it.each(['aws-cdk-lib', 'constructs'])(
  'without %s, the error names it, and the command that installs the versions of our own tests',
  async (missing) => {
    const attempt = loadCdk(load, (name) => name !== missing);
    await expect(attempt).rejects.toThrow(UserError);
    const { devDependencies } = packageJson;
    const versions = (['aws-cdk', 'aws-cdk-lib', 'constructs'] as const).map(
      (name) => `${name}@${devDependencies[name]}`,
    );
    await expect(attempt).rejects.toThrow(
      `Missing: ${missing}. Install it: npm install --save-dev ${versions.join(' ')}`,
    );
  },
);
