import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Command, CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { templateVerb } from '../../bin/template-command.ts';
import { commandLine as realCommandLine } from '../../runner/cli/main.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { codeBlocks, completeExperiments, documents, prose } from '../helpers/documents.ts';
import { fakeIo, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { saveSealedSample } from '../helpers/samples/sealed-sample.ts';
import { project } from '../helpers/synthesize.ts';

const pages = documents().filter(({ file }) => file !== 'CHANGELOG.md');
const blocks = pages.flatMap(codeBlocks);

interface Shown {
  words: string[];
  place: string;
}

/** What a page shows to be typed into a shell, without comments and redirections. */
const typed: Shown[] = blocks
  .filter(({ language }) => ['', 'sh', 'bash'].includes(language))
  .flatMap(({ code, place }) =>
    code
      .replaceAll('\\\n', ' ')
      .split('\n')
      .flatMap((line) => line.replace(/(^|\s)#.*$/, '').split(/&&|\|\||[;|]/))
      .map((command) => ({ words: wordsOf(command), place })),
  );

/** Commands that a sentence mentions, which may be cut short. */
const mentioned: Shown[] = pages.flatMap((page) =>
  [...prose(page).matchAll(/`((?:npx (?:pgduet|cdk)|pgduet|npm run)\s[^`]+)`/g)].map(([, command = '']) => ({
    words: wordsOf(command),
    place: page.file,
  })),
);

function wordsOf(command: string): string[] {
  const plain = command.replace(/\s[<>]+\s?\S+/g, '');
  return [...plain.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/** The words behind one of these beginnings, such as `npx pgduet`. */
function behind(shown: readonly Shown[], ...beginnings: string[]): Shown[] {
  return shown.flatMap(({ words, place }) => {
    const text = `${words.join('\n')}\n`;
    const own = beginnings.find((one) => text.startsWith(`${one.replaceAll(' ', '\n')}\n`));
    return own === undefined ? [] : [{ words: words.slice(own.split(' ').length), place }];
  });
}

interface Understood {
  verb: string;
  /** What was given for each argument, by its name. */
  answered: Record<string, unknown>;
  options: Record<string, unknown>;
}

/** The real command line, with every command registered, which understands but does nothing. */
async function commandLine(onUnderstood: (understood: Understood) => void): Promise<Command> {
  const { program, load } = realCommandLine(fakeIo().io, [templateVerb]);
  for (const command of program.commands) {
    await load(command.name());
    command.exitOverride().action(() => {
      const names = command.registeredArguments.map((argument) => argument.name());
      const answered = Object.fromEntries(names.map((name, index) => [name, command.processedArgs[index]]));
      onUnderstood({ verb: command.name(), answered, options: command.opts() });
    });
  }
  return program;
}

const verbs = new Map((await commandLine(() => undefined)).commands.map((command) => [command.name(), command]));

async function understand({ words, place }: Shown): Promise<Understood> {
  let understood: Understood | undefined;
  try {
    await (await commandLine((one) => (understood = one))).parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new Error(`${place}: pgduet ${words.join(' ')}: ${error.message}`, { cause: error });
  }
  return understood ?? { verb: '', answered: {}, options: {} };
}

const pgduetTyped = behind(typed, 'npx pgduet', 'sudo npx pgduet', 'pgduet');
const understood = await Promise.all(
  pgduetTyped.map(async (one) => ({ ...(await understand(one)), place: one.place })),
);

const shownExperiments = completeExperiments(blocks);
const madeByReader = [
  ...understood.flatMap(({ verb, answered: { name } }) => (verb === 'init' ? [name] : [])),
  ...shownExperiments.keys(),
];

/** A name of ours must load with its profile. Names in capitals and paths stand for something of the reader. */
function problemOf(experiment: unknown, profile: unknown, place: string): string[] {
  if (typeof experiment !== 'string' || /^[A-Z-]+$|[/:…<$]/.test(experiment) || madeByReader.includes(experiment))
    return [];
  const named = typeof profile === 'string' && !/^[A-Z]+$|[…<]/.test(profile) ? { profile } : {};
  try {
    loadExperiment(experiment, { folder: project, ...named });
    return [];
  } catch (error) {
    return [`${place}: ${experiment}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

describe('commands of the documentation', () => {
  it('are understood, with experiments and profiles that there are', () => {
    expect(understood.length).toBeGreaterThan(30);
    const wrong = understood.flatMap(({ answered, options: { profile, local }, place }) =>
      problemOf(answered['experiment'], profile ?? (local === true ? 'local' : undefined), place),
    );
    expect(wrong).toEqual([]);
  });

  it('are mentioned with verbs and options that there are', () => {
    const wrong = behind(mentioned, 'npx pgduet', 'pgduet').flatMap(({ words: [verb = '', ...words], place }) => {
      if (!/^[a-z][a-z-]*$/.test(verb)) return [];
      const command = verbs.get(verb);
      if (!command) return [`${place}: pgduet ${verb}`];
      const options = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split('=')[0]);
      return options
        .filter((word) => !command.options.some(({ long, short }) => [long, short, '--help'].includes(word)))
        .map((option) => `${place}: pgduet ${verb} ${option ?? ''}`);
    });
    expect(wrong).toEqual([]);
  });

  it('name scripts of package.json', () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8')));
    const wrong = behind([...typed, ...mentioned], 'npm run').filter(
      ({ words }) => !words.some((word) => word in scripts) && words[0] !== '',
    );
    expect(wrong).toEqual([]);
  });

  it('give the CDK words that the app knows, with experiments and profiles that there are', () => {
    const known = ['experiment', 'stack', 'profile', 'owner', 'running', 'assetKey', 'resultsKey', 'zone'];
    const wrong = behind([...typed, ...mentioned], 'npx cdk').flatMap(({ words, place }) => {
      const answered = Object.fromEntries(
        words.flatMap((word, index) => (words[index - 1] === '-c' ? [word.split('=')] : [])),
      ) as Record<string, string>;
      const unknown = Object.keys(answered).filter((word) => !known.includes(word));
      return [
        ...unknown.map((word) => `${place}: -c ${word}`),
        ...problemOf(answered['experiment'], answered['profile'], place),
      ];
    });
    expect(wrong).toEqual([]);
  });
});

describe('commands that need neither servers nor AWS', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'docs-examples-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const at = (...names: string[]): string => path.join(folder, ...names);
  const fixture = (name: string): string => path.join(project, 'test/fixtures', name);

  beforeAll(async () => {
    cpSync(path.join(project, 'experiments'), at('experiments'), { recursive: true });
    for (const [name, { code }] of shownExperiments) {
      if (name !== 'mine') writeFileSync(at('experiments', `${name}.yaml`), code);
    }
    const runs = new Set(carriedOut.flatMap(({ command }) => command.match(/results\/[^ #]+/g) ?? []));
    for (const [index, run] of [...runs].entries()) await saveSealedSample(at(run), { seed: index + 1 });
    for (const side of ['old', 'new']) {
      mkdirSync(at(side));
      cpSync(fixture('pgbench/15.18/plain-timed.out'), at(side, 'pgbench.log'));
    }
    cpSync(fixture('pgbench-logs/15.18/transactions/pgbench_log.100'), at('pgbench_log.1'));
  });

  /** Each once, in the order of the pages: `init` makes what `plan` shows. */
  const done = new Set<string>();
  const offline = ['init', 'plan', 'policy', 'compare', 'report', 'verify', 'parse', 'digest'];
  const carriedOut = pgduetTyped.flatMap(({ words, place }) => {
    const command = words.join(' ').replace('pgbench_log.*', 'pgbench_log.1');
    const isOurs =
      offline.includes(words[0] ?? '') && !/(^|[ /=])[A-Z]+($|[ /#])|s3:|…|--open/.test(command) && !done.has(command);
    done.add(command);
    return isOurs ? [{ command, place }] : [];
  });

  it.each(carriedOut)('end well: pgduet $command', async ({ command }) => {
    const words = command.split(' ');
    if (words[0] === 'init') rmSync(at('experiments', `${words[1] ?? ''}.yaml`), { force: true });
    const { exitCode, stderr } = await runCommandLine(words, { workingFolder: folder });
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
});
