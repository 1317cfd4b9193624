import packageJson from '../../../package.json' with { type: 'json' };

const { devDependencies } = packageJson;
const names = ['aws-cdk', 'aws-cdk-lib', 'constructs'] as const;

/**
 * Installs what a deploy needs and a local run does not, in the versions that pgduet is tested with: the command line
 * must be able to read what the library writes.
 */
export const installCdk = `npm install --save-dev ${names.map((name) => `${name}@${devDependencies[name]}`).join(' ')}`;
