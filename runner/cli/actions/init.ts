import path from 'node:path';
import * as z from 'zod';
import { ownCommand } from '../../contract/own-command.ts';
import { exists } from '../../files/look.ts';
import { ownFile } from '../../files/own-files.ts';
import { readTextWhole } from '../../files/read.ts';
import { experimentsFolder, nameOfFile } from '../../experiment/file/find.ts';
import { commandLines } from '../../report/terminal/command-lines.ts';
import { hanging, wrap, wrapLines } from '../../report/media/wrap.ts';
import { installCdk } from '../../rds/deploy/cdk-packages.ts';
import type { Io } from '../io.ts';
import { consentTo } from './consent.ts';
import { copyOf, type Files, packageFolder } from './copy-experiment.ts';
import { refuseTaken, requireName, writeFiles } from './new-files.ts';
import { fixPackageSource, type PackageSource } from './own-package.ts';
import type { Declare } from '../verb.ts';
import { describeArguments, trustOption } from '../options.ts';

export interface InitOptions {
  from: string;
  trust?: string;
  json?: true;
}

export async function init(name: string | undefined, options: InitOptions, io: Io): Promise<void> {
  if (name === undefined) return initRepository(options, io);
  requireName(name);
  const files = copyOf(options.from, name, io.workingFolder);
  const names = Object.keys(files);
  refuseTaken(names, io.workingFolder);
  await requireWord(files, options, io);
  await writeFiles(files, io.workingFolder);
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ path: path.join(io.workingFolder, names[0] ?? ''), written: names })}\n`
      : `${wrapLines(`Wrote ${names.join(', ')}. Edit ${names.length > 1 ? 'them' : 'it'}, then:`, io.columns)}\n  ${ownCommand} plan ${name}\n`,
  );
}

/** A copy is the user's own, and runs without a question. So the word for code of somebody else is asked for here. */
async function requireWord(files: Files, { trust }: InitOptions, io: Io): Promise<void> {
  const [file, ...names] = Object.values(files).flatMap(({ copiedFrom }) => copiedFrom ?? []);
  if (file === undefined) return;
  const code = { file, text: readTextWhole(file), folder: path.dirname(file), names };
  await consentTo(code, { ...(trust !== undefined && { trust }), warnings: [] }, io);
}

/**
 * `pgduet init` without a name: makes the working folder a repository of experiments, with an app for the CDK and a
 * workflow that checks every experiment. Files that are there stay as they are.
 */
async function initRepository(options: InitOptions, io: Io): Promise<void> {
  const folder = io.workingFolder;
  const first = nameOfFile(options.from);
  requireName(first);
  const source = await fixPackageSource(folder);
  const wanted: Files = {
    'cdk.json': { content: cdkJson(folder) },
    ...copyOf(options.from, first, folder),
    '.gitignore': { content: ['node_modules/', 'results/', 'cdk.out/', 'dist/', ''].join('\n') },
    '.github/workflows/experiments.yml': { content: workflow },
  };
  await requireWord(wanted, options, io);
  const names = Object.keys(wanted);
  const kept = names.filter((name) => exists(path.join(folder, name)));
  const written = names.filter((name) => !kept.includes(name));
  await writeFiles(Object.fromEntries(Object.entries(wanted).filter(([name]) => written.includes(name))), folder);
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ written, kept, package: source })}\n`);
    return;
  }
  const next = [
    [`${ownCommand} try --set synchronous_commit=on,off`, 'get a first answer, no file needed'],
    [`${ownCommand} plan ${first}`, 'preview what the experiment does and how long it takes'],
    [`${ownCommand} load-run ${first} --local`, 'measure on this machine'],
    [`${ownCommand} init mine --from own-data`, 'create your own experiment, with your tables and statements'],
    ['npx cdk synth -c experiment=dlv-pgbench', 'what a deploy would create'],
  ] as const;
  const { columns } = io;
  io.stdout.write(
    [
      ...(written.length > 0 ? wrap(`Wrote ${written.join(', ')}.`, columns) : []),
      ...(kept.length > 0 ? wrap(`Kept your existing ${kept.join(', ')}.`, columns) : []),
      // A clone of pgduet needs no package of it.
      ...(path.resolve(folder) === ownFile() ? [] : [wrapLines(sourceWords(source), columns)]),
      '',
      'Next:',
      ...commandLines(next, columns),
      '',
      'Before the first cdk command, once:',
      ...hanging('  ', installCdk, columns),
      '',
    ].join('\n'),
  );
}

function sourceWords(source: PackageSource): string {
  switch (source.kind) {
    case 'vendored':
      return source.copiedFrom === null
        ? `package.json takes pgduet from ${source.spec}. Commit that file, so that npm ci works on any machine.`
        : `Copied ${source.copiedFrom}: package.json now takes pgduet from ${source.spec}. Commit vendor/ and package-lock.json, so that npm ci works on any machine.`;
    case 'registry':
      return `package.json pins pgduet ${source.spec} of the registry.`;
    case 'elsewhere':
      return `package.json takes pgduet from ${source.spec}, where npm ci may not find it on another machine. Install an archive (npm install ARCHIVE.tgz), and run init again.`;
    case 'unnamed':
      return 'No package.json here names pgduet, so npm ci does not install it. Install it (npm install ARCHIVE.tgz), and run init again.';
  }
}

/** The same feature flags as in pgduet's own: they decide what its stacks consist of. */
function cdkJson(workingFolder: string): string {
  const own = z.record(z.string(), z.unknown()).parse(JSON.parse(readTextWhole(ownFile('cdk.json'))));
  const app = path.join(packageFolder(workingFolder), 'bin/app.mjs');
  return `${JSON.stringify({ ...own, app: `node ${/[^\w./@-]/.test(app) ? JSON.stringify(app) : app}` }, null, 2)}\n`;
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
            ${ownCommand} plan "$file" --prices kept
            # Templates need the CDK. A repository that deploys nothing does without it.
            if [ -d node_modules/aws-cdk-lib ] && ${ownCommand} plan "$file" --prices kept --json | jq --exit-status '.costs' >/dev/null; then
              ${ownCommand} template "$file" --out "dist/templates/$(basename "$file" .yaml)"
            fi
          done
          # What is not checked: dependencies that only repeat others, and lists of versions that are older than RDS.
          # There are no templates if all experiments are for this machine.
          if [ -d dist/templates ]; then
            find dist/templates -name '*.json' ! -name policy.json -exec cfn-lint --ignore-checks W3005 E3690 E3691 -- {} +
          fi
`;

export const declare: Declare = (command, io) => {
  describeArguments(command, 'name of the new experiment');
  command
    .option('--from <template>', 'template experiment', 'quick')
    .addOption(trustOption())
    .option('--json', 'print the written files as JSON')
    .action((name: string | undefined, options: InitOptions) => init(name, options, io));
};
