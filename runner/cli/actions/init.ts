import path from 'node:path';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import { makeSafeFolder, writeFileIn } from '../../files/write.ts';
import { exists } from '../../files/look.ts';
import { ownFile } from '../../files/own-files.ts';
import { readTextWhole } from '../../files/read.ts';
import { experimentsFolder, findExperiment } from '../../experiment/file/find.ts';
import { foldersProfile } from '../../experiment/file/load.ts';
import { UserError } from '../../contract/errors.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import type { Io } from '../io.ts';

export interface InitOptions {
  from: string;
  json?: true;
}

export async function init(name: string | undefined, options: InitOptions, io: Io): Promise<void> {
  if (name === undefined) return initRepository(options, io);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new UserError(
      `"${name}" cannot be the name of an experiment. Use lower-case letters, digits and single hyphens.`,
    );
  }
  const file = path.join(io.workingFolder, experimentsFolder, `${name}.yaml`);
  const shown = path.join(experimentsFolder, `${name}.yaml`);
  if (exists(file)) throw new UserError(`${shown} already exists. Choose another name, or edit the file.`);
  const template = experimentText(options.from, io.workingFolder);
  makeSafeFolder(path.dirname(file), 'work in another folder');
  await writeFileIn(path.dirname(file), path.basename(file), ofItsOwn(template, name));
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ path: file })}\n`
      : `${wrapLines(`Wrote ${shown}. Edit it, then: npx pgduet plan ${name}`, io.columns)}\n`,
  );
}

/**
 * The template under a new name. Its questions are left to be written: the old ones would head another experiment's
 * report. Nor does it ask another question where volumes cannot be limited.
 */
function ofItsOwn(template: string, name: string): string {
  const text = template
    .replace(/^name:.*$/m, `name: ${name}`)
    .replaceAll(/^( *)question:.*$/gm, `$1question: What should ${name} answer? Write it here.`);
  const document = parseDocument(text);
  const ofFolders = ['profiles', foldersProfile];
  // deleteIn throws if the file has no profiles at all, and toString if it has errors: those are for `plan` to name.
  if (document.errors.length > 0 || !document.hasIn(ofFolders)) return text;
  document.deleteIn(ofFolders);
  return document.toString({ lineWidth: 0 });
}

/**
 * `pgduet init` without a name: makes the working folder a repository of experiments, with an app for the CDK and a
 * workflow that checks every experiment. Files that are there stay as they are.
 */
async function initRepository(options: InitOptions, io: Io): Promise<void> {
  const folder = io.workingFolder;
  const wanted = {
    'cdk.json': () => cdkJson(folder),
    [`${experimentsFolder}/${path.basename(options.from, '.yaml')}.yaml`]: () => experimentText(options.from, folder),
    '.gitignore': () => ['node_modules/', 'results/', 'cdk.out/', 'dist/', ''].join('\n'),
    '.github/workflows/experiments.yml': () => workflow,
  };
  const names = Object.keys(wanted);
  const kept = names.filter((name) => exists(path.join(folder, name)));
  const written = names.filter((name) => !kept.includes(name));
  for (const name of written) {
    const file = path.join(folder, name);
    makeSafeFolder(path.dirname(file), 'work in another folder');
    await writeFileIn(path.dirname(file), path.basename(file), wanted[name]?.() ?? '');
  }
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ written, kept })}\n`);
    return;
  }
  const [first = ''] = names.filter((name) => name.startsWith(experimentsFolder));
  const name = path.basename(first, '.yaml');
  io.stdout.write(
    [
      ...(written.length > 0 ? [`Wrote ${written.join(', ')}.`] : []),
      ...(kept.length > 0 ? [`Kept ${kept.join(', ')}, which you have already.`] : []),
      '',
      'Next:',
      '  npx pgduet try --set synchronous_commit=on,off   a first answer, without a file',
      `  npx pgduet plan ${name}                            what the experiment would do, and how long it takes`,
      `  npx pgduet load-run ${name} --local                measure on this machine`,
      '  npx pgduet init mine --from dlv-pgbench          an experiment of your own, from one that pgduet brings',
      '  npm install --save-dev aws-cdk                   once, before the first deploy; then:',
      '  npx cdk synth -c experiment=dlv-pgbench',
      '',
    ].join('\n'),
  );
}

/** The same feature flags as in pgduet's own: they decide what its stacks consist of. */
function cdkJson(workingFolder: string): string {
  const own = z.record(z.string(), z.unknown()).parse(JSON.parse(readTextWhole(ownFile('cdk.json'))));
  const app = path.join(packageFolder(workingFolder), 'bin/app.mjs');
  return `${JSON.stringify({ ...own, app: `node ${/[^\w./@-]/.test(app) ? JSON.stringify(app) : app}` }, null, 2)}\n`;
}

const schemaName = 'experiment.schema.json';

/** The text of an experiment for the folder of the user's own, where editors must find its JSON schema. */
function experimentText(nameOrPath: string, workingFolder: string): string {
  const text = readTextWhole(findExperiment(nameOrPath, workingFolder).file);
  if (exists(path.join(workingFolder, experimentsFolder, schemaName))) return text;
  const schema = path.join('..', packageFolder(workingFolder), experimentsFolder, schemaName);
  return text.replace(/^(# yaml-language-server: \$schema=).*$/m, `$1${schema}`);
}

/** Where pgduet is, relative to the working folder: a path that stays when another version is installed. */
function packageFolder(workingFolder: string): string {
  const installed = 'node_modules/pgduet';
  return exists(path.join(workingFolder, installed)) ? installed : path.relative(workingFolder, ownFile()) || '.';
}

/** Needs no secret: prices that are kept, no credentials, and nothing is deployed. */
const workflow = `# Checks every experiment in ${experimentsFolder}/, without credentials: whether it is right, how long it takes and what it
# costs, and whether CloudFormation would take its template.
name: experiments
on: [push, pull_request]
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 24, cache: npm }
      - run: npm ci --ignore-scripts
      - run: pip install cfn-lint==1.51.0
      - name: plan each experiment, and check the template of those that are deployed
        run: |
          for file in ${experimentsFolder}/*.yaml; do
            npx pgduet plan "$file" --prices kept
            if npx pgduet plan "$file" --prices kept --json | jq --exit-status '.costs' >/dev/null; then
              npx pgduet template "$file" --out "dist/templates/$(basename "$file" .yaml)"
            fi
          done
          # What is not checked: dependencies that only repeat others, and lists of versions that are older than RDS.
          # There are no templates if all experiments are for this machine.
          if [ -d dist/templates ]; then
            find dist/templates -name '*.json' ! -name policy.json -exec cfn-lint --ignore-checks W3005 E3690 E3691 -- {} +
          fi
`;
