import { cpSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openFolder } from '../../runner/analysis/open-result.ts';
import { bindingFile } from '../../runner/rds/contract/binding.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { resultFile } from '../../runner/contract/result.ts';
import { runFile } from '../../runner/contract/run-record.ts';
import { statusFile } from '../../runner/contract/status.ts';
import { laterFile, trialFile } from '../../runner/contract/trial.ts';
import { parseVersioned, type VersionedFile } from '../../runner/contract/versioned-file.ts';
import { readResultFile, readRunFolder } from '../../runner/storage/run-folder.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures');
const first = 'trials/block-01-1-with-log-volume';
let folder: string;
beforeEach(() => {
  folder = path.join(temporaryFolder(), 'run');
  cpSync(path.join(fixtures, 'results', `v${runFile.schemaVersion}`), folder, { recursive: true });
});

interface Damageable {
  name: string;
  of: Pick<VersionedFile<never>, 'schemaVersion' | 'olderRemedy' | 'remedy' | 'maxBytes'>;
  /** A field, and a value of a type that this field never has. */
  wrong: [field: string, value: unknown];
  read: () => unknown;
}

const filesOfRun: Damageable[] = [
  { name: 'run.json', of: runFile, wrong: ['startedAt', 5], read: () => readRunFolder(folder) },
  { name: `${first}/trial.json`, of: trialFile, wrong: ['block', 'first'], read: readTrials },
  { name: `${first}/later/events.json`, of: laterFile, wrong: ['measures', []], read: readTrials },
  { name: 'result.json', of: resultFile, wrong: ['complete', 'yes'], read: () => readResultFile(folder) },
];

/** Of a damaged trial, the run says that it cannot be read. */
function readTrials(): unknown {
  const read = readRunFolder(folder);
  for (const { id, error } of read.unreadable) {
    expect(id).toBe(path.basename(first));
    throw error;
  }
  return read;
}

/** The message of a reader about a file. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message;
  }
  throw new Error('it was read');
}

function rewrite(name: string, change: (value: Record<string, unknown>) => unknown): string {
  const file = path.join(folder, name);
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)));
  return file;
}

describe.each(filesOfRun)('a damaged $name is refused, by its path,', ({ name, of, wrong: [field, value], read }) => {
  it('where it was cut off', () => {
    const file = path.join(folder, name);
    const text = readFileSync(file, 'utf8');
    for (const share of [0, 0.3, 0.9]) {
      writeFileSync(file, text.slice(0, Math.floor(text.length * share)));
      expect(refusal(read)).toMatch(`${file} is not JSON (`);
    }
  });

  it('where a field has another type', () => {
    const file = rewrite(name, (content) => ({ ...content, [field]: value }));
    const message = refusal(read);
    expect(message).toContain(`${file} is damaged:`);
    expect(message).toContain(field);
  });

  it('where a field is missing', () => {
    const file = rewrite(name, ({ [field]: _, ...content }) => content);
    expect(refusal(read)).toContain(`${file} is damaged:`);
  });

  it.each([
    { which: 'an older', step: -1, remedy: of.olderRemedy },
    { which: 'a newer', step: 1, remedy: 'Update pgduet.' },
  ])('where it is of $which version, with what to do', ({ step, remedy }) => {
    const schemaVersion = of.schemaVersion + step;
    const file = rewrite(name, (content) => ({ ...content, schemaVersion, toolVersion: '7.8.9' }));
    expect(refusal(read)).toBe(
      `${file} has schemaVersion ${schemaVersion}, written by pgduet 7.8.9; this one reads ${of.schemaVersion}. ${remedy}`,
    );
  });

  it.each([
    ['another file of ours', { kind: 'pgduet-binding', schemaVersion: 1 }],
    ['a list', []],
    ['null', null],
  ])('where it is %s', (_, content) => {
    const file = rewrite(name, () => content);
    expect(refusal(read)).toMatch(new RegExp(`^${file} is not a .*\\. ${of.remedy}$`));
  });

  it('where it is larger than any of its kind, before its content is read', () => {
    const file = path.join(folder, name);
    const most = of.maxBytes ?? 16 * 2 ** 20;
    writeFileSync(file, `{"kind":"x","a":[${'0,'.repeat(most / 2)}0]}`);
    expect(refusal(read)).toMatch(`${file} has ${most / 2 ** 20 + 1} MiB, and a`);
    expect(refusal(read)).toMatch(new RegExp(` has no more than ${most / 2 ** 20}\\. ${of.remedy}$`));
  });

  it('but fields that are not known are ignored', () => {
    rewrite(name, (content) => ({ ...content, somethingOfLater: { a: 1 } }));
    expect(read).not.toThrow();
  });

  it('where it is a folder', () => {
    const file = path.join(folder, name);
    rmSync(file);
    cpSync(path.join(fixtures, 'binding'), file, { recursive: true });
    expect(refusal(read)).toContain(`${file} cannot be read: `);
  });
});

const elsewhere: [string, VersionedFile<never>][] = [
  ['status', statusFile as unknown as VersionedFile<never>],
  ['binding', bindingFile as unknown as VersionedFile<never>],
];

describe.each(elsewhere)('a damaged %s is refused, by its address,', (kind, of) => {
  const version = `v${of.schemaVersion}`;
  const [file = ''] = readdirSync(path.join(fixtures, kind, version));
  const text = readFileSync(path.join(fixtures, kind, version, file), 'utf8');
  const content = JSON.parse(text) as object;
  const read = (damaged: string) => refusal(() => parseVersioned(damaged, 's3://bucket/it', of));

  it('where it was cut off, is of another version, or has a field of another type', () => {
    expect(read(text.slice(0, 100))).toMatch(/^s3:\/\/bucket\/it is not JSON \(/);
    expect(read(JSON.stringify({ ...content, schemaVersion: of.schemaVersion - 1 }))).toContain(of.olderRemedy);
    expect(read(JSON.stringify({ ...content, schemaVersion: of.schemaVersion + 1 }))).toContain('Update pgduet.');
    expect(read(JSON.stringify({ ...content, toolVersion: undefined, endedAt: 5, owner: 5 }))).toMatch(
      /^s3:\/\/bucket\/it is damaged:\n/,
    );
  });
});

describe('the steps of a run', () => {
  const lines = [
    '{"step":"create","startedAt":"2026-11-21T06:01:00Z","endedAt":"2026-11-21T06:02:00Z"}',
    '{"step":"load","startedAt":"2026-11-21T06:03:00Z","endedAt":"2026-11-21T06:04:00Z"}',
  ];
  const write = (text: string): string => {
    const file = path.join(folder, 'steps.jsonl');
    writeFileSync(file, text);
    return file;
  };

  it.each([
    ['is cut off', '{"step":"set'],
    [
      'tells of a step that there is not',
      '{"step":"dance","startedAt":"2026-11-21T06:01:00Z","endedAt":"2026-11-21T06:02:00Z"}',
    ],
    ['is empty', ''],
  ])('are refused, by file and line, where a line in the middle %s', (_, damaged) => {
    const file = write(`${lines[0] ?? ''}\n${damaged}\n${lines[1] ?? ''}\n`);
    expect(refusal(() => readRunFolder(folder))).toMatch(`${file}:2 is damaged: `);
  });

  it.each(['{"step":"load","star', '{'])('are read where the last line is cut off: %s', (cutOff) => {
    write(`${lines.join('\n')}\n${cutOff}`);
    expect(readRunFolder(folder).steps.map(({ step }) => step)).toEqual(['create', 'load']);
  });

  it('may be missing', () => {
    rmSync(path.join(folder, 'steps.jsonl'));
    expect(readRunFolder(folder).steps).toEqual([]);
  });
});

describe('a run', () => {
  it('with a damaged trial is shown all the same: that trial counts as lost by its side, and is not left out', async () => {
    rmSync(path.join(folder, 'result.json'));
    const whole = (await openFolder(folder)).result;
    const file = path.join(folder, first, 'trial.json');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 200));
    const { result } = await openFolder(folder);
    expect(result.trials).toHaveLength(whole.trials.length);
    expect(result.trials.find(({ id }) => id === path.basename(first))).toMatchObject({
      state: 'failed',
      block: 1,
      conditions: { variant: 'with-log-volume' },
      measures: {},
      failure: { stage: 'collect', code: 'damaged', error: `${file} is damaged` },
    });
    const pairs = ({ comparisons }: typeof whole): unknown[] => comparisons.find(({ primary }) => primary)?.pairs ?? [];
    expect(pairs(result)).toHaveLength(pairs(whole).length - 1);
    const lost = result.comparisons.find(({ primary }) => primary)?.losses;
    expect(lost).toMatchObject({ candidate: { lost: 1 } });
  });

  it('whose run.json is missing is none, and its folder is named', () => {
    rmSync(path.join(folder, 'run.json'));
    expect(refusal(() => readRunFolder(folder))).toBe(
      `${folder} contains no pgduet run: there is no run.json. ${runFile.remedy}`,
    );
  });

  it('in which a trial lies in the folder of another one is refused, by its path', () => {
    const file = path.join(folder, first, 'trial.json');
    cpSync(path.join(folder, 'trials/block-02-1-without-log-volume/trial.json'), file);
    expect(refusal(() => readRunFolder(folder))).toBe(
      `${file} belongs to the trial block-02-1-without-log-volume. Restore the file of block-01-1-with-log-volume.`,
    );
  });

  it('without a result whose series are damaged is refused, by their path', async () => {
    rmSync(path.join(folder, 'result.json'));
    const file = path.join(folder, first, 'series.parquet');
    writeFileSync(file, readFileSync(file).subarray(0, 200));
    await expect(openFolder(folder)).rejects.toThrow(UserError);
    await expect(openFolder(folder)).rejects.toThrow(`${file} is missing or damaged: `);
  });
});

describe('a link in the place of a folder of a result', () => {
  it.each(['trials', first])('is followed to no file: %s', async (name) => {
    const elsewhere = `${folder}.elsewhere`;
    renameSync(path.join(folder, name), elsewhere);
    symlinkSync(elsewhere, path.join(folder, name));
    const refused = `${path.join(folder, name)} is a symbolic link, which pgduet does not follow. Remove it.`;
    expect(refusal(() => readRunFolder(folder))).toContain(refused);
    const { result, series } = await openFolder(folder);
    const trial = result.trials.find(({ id }) => id === path.basename(first));
    if (!trial) throw new Error('the fixture has this trial');
    await expect(series.read(trial)).rejects.toThrow(refused);
  });
});
