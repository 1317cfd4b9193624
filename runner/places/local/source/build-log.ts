import path from 'node:path';
import { UserError } from '../../../contract/errors.ts';
import { durationText, withNoun } from '../../../contract/format.ts';
import { removeFile, writeFileIn } from '../../../files/write.ts';
import { toolsCommand } from '../package-manager.ts';

/** What the programs of a build print. */
export interface BuildLog {
  /** A step begins, such as `configure`. */
  begin(step: string): void;
  take: (line: string) => void;
  /** Keeps the log. @returns the error that the step failed, with its last words and a remedy */
  failure(): Promise<UserError>;
  /** @throws {UserError} if configure passed over options that it does not know */
  requireKnownOptions(): Promise<void>;
  /** Of an earlier build that failed, no log is left. */
  succeeded(): void;
  end(): void;
}

/** What others print, and what helps. */
const remedies: readonly (readonly [printed: RegExp, remedy: string])[] = [
  [
    /readline library not found|readline header not found/,
    'Install libreadline-dev (readline-devel), or add --without-readline',
  ],
  [/zlib library not found|zlib header not found/, 'Install zlib1g-dev (zlib-devel), or add --without-zlib'],
  [/ICU library not found|icu-uc|icu-i18n/, 'Install libicu-dev and pkg-config (libicu-devel), or add --without-icu'],
  [/bison.*(not found|missing|required)|(missing|no) bison/i, 'Install bison'],
  [/flex.*(not found|missing|required)|(missing|no) flex/i, 'Install flex'],
  [/No space left on device|Disk quota exceeded/, 'Free up space, or name another folder in XDG_CACHE_HOME'],
  [/unrecognized options/, 'Correct or remove the option'],
];

const told = /\berror\b|: undefined reference to|\*\*\*/i;
const shownLines = 8;
const keptLines = 100_000;
const everyMs = 20_000;

/**
 * @param what is built, such as `PostgreSQL 17.5 from master`
 * @param options.file where the log is kept if a step fails
 * @param options.key of the experiment that names the code
 * @param options.say gets how far it is
 */
export function newBuildLog(
  what: string,
  { file, key, say }: { file: string; key: string; say: (line: string) => void },
): BuildLog {
  const begun = performance.now();
  const lines: string[] = [];
  let step = { name: '', from: 0 };
  let compiled = 0;
  const elapsed = (): string => durationText((performance.now() - begun) / 1000);
  say(`Building ${what}; later runs use this build ...`);
  const timer = setInterval(() => {
    const progress = compiled === 0 ? '' : `, ${withNoun(compiled, 'file')} compiled`;
    say(`  ${elapsed()}: ${step.name}${progress}`);
  }, everyMs);
  const fail = async (words: string, said: readonly string[]): Promise<UserError> => {
    await writeFileIn(path.dirname(file), path.basename(file), `${lines.join('\n')}\n`);
    const remedy = remedies.find(([printed]) => said.some((line) => printed.test(line)))?.[1];
    return new UserError(
      [
        `${key}: could not build ${what}: ${words}.`,
        ...said.map((line) => `  ${line}`),
        remedy === undefined
          ? `Correct the code or its options. A build may need more packages: ${toolsCommand()}`
          : `${remedy}.`,
        `All that it printed is in ${file}.`,
      ],
      { printed: said.join('\n') },
    );
  };
  return {
    begin(name) {
      step = { name, from: lines.length };
      lines.push(`# ${name}`);
    },
    take(line) {
      if (/ -o \S+\.o\b/.test(line)) compiled += 1;
      // A flood of warnings must not take all memory.
      if (lines.length >= keptLines) lines.splice(step.from + 1, keptLines / 2);
      lines.push(line);
    },
    failure() {
      const printed = lines.slice(step.from + 1);
      const reasons = printed.filter((line) => told.test(line) && !/ -o \S+\.o\b/.test(line));
      return fail(`${step.name} failed`, (reasons.length > 0 ? reasons : printed).slice(-shownLines));
    },
    async requireKnownOptions() {
      const ignored = lines.filter((line) => /unrecognized options/.test(line));
      if (ignored.length > 0) throw await fail('configure does not know an option', ignored.slice(0, 1));
    },
    succeeded() {
      removeFile(file);
      say(`  Built in ${elapsed()}.`);
    },
    end: () => clearInterval(timer),
  };
}
