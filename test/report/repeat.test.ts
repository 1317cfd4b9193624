import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { maxInputBytes } from '../../runner/storage/kept-run.ts';
import { launchChromium } from '../../scripts/chromium.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { hasChromium } from '../helpers/has-chromium.ts';
import { sealAgain, sealedSampleToCopy } from '../helpers/samples/sealed-sample.ts';
import { shellWord } from '../../runner/report/sections/repeat.ts';

const copySampleTo = sealedSampleToCopy({ blocks: 2, trialSeconds: 5 });
let root: string;
let folder: string;
beforeEach(() => {
  root = temporaryFolder();
  folder = path.join(root, 'one');
  copySampleTo(folder);
});

const at = (name: string): string => path.join(folder, name);
const sumOf = (name: string): string =>
  createHash('sha256')
    .update(readFileSync(at(name)))
    .digest('hex');

/** Adds a file that the experiment might name, as a run keeps it. */
function keep(name: string, text: string): void {
  mkdirSync(path.dirname(at(`inputs/files/${name}`)), { recursive: true });
  writeFileSync(at(`inputs/files/${name}`), text);
}

async function reportOf(): Promise<{ page: string; markdown: string; links: { name: string; text: string }[] }> {
  const { exitCode, stderr } = await runCommandLine(['report', '.'], { workingFolder: folder });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const page = readFileSync(at('report.html'), 'utf8');
  const links = [
    ...page.matchAll(/<a\s+download="([^"]*)"\s+href="data:text\/plain;charset=utf-8;base64,([\w+/=]*)"/g),
  ].map(([, name = '', content = '']) => ({ name, text: Buffer.from(content, 'base64').toString('utf8') }));
  expect(page.match(/href="data:/g) ?? []).toHaveLength(links.length);
  return { page, markdown: readFileSync(at('report.md'), 'utf8'), links };
}

describe('what a page has for repeating its run', () => {
  it('is the experiment file and all that it names, as downloads, each with its SHA-256', async () => {
    keep('sql/mix.sql', 'SELECT 1; -- ü\n');
    sealAgain(folder);
    const { page, markdown, links } = await reportOf();
    expect(links).toEqual([
      { name: 'quick.yaml', text: 'name: quick\n' },
      { name: 'mix.sql', text: 'SELECT 1; -- ü\n' },
    ]);
    for (const name of ['inputs/files/quick.yaml', 'inputs/files/sql/mix.sql']) {
      expect(page.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')).toMatch(
        new RegExp(`${name} \\([^()]*SHA-256 ${sumOf(name)}\\)`),
      );
      expect(markdown).toContain(`SHA-256 ${sumOf(name)}`);
    }
    expect(markdown).toContain('load-run ./quick.yaml --local --profile');
    expect(markdown).toContain('with sql/mix.sql at the same relative paths');
  });

  it.each([
    ['too large', (name: string) => keep(name, 'x'.repeat(maxInputBytes + 1)), 'too large for this page', true],
    ['changed since', (name: string) => keep(name, 'SELECT 2;'), 'it does not match SHA256SUMS', false],
  ])('names a file that is %s, and why it does not hand it on', async (_, change, why, isSealed) => {
    keep('mix.sql', 'SELECT 1;');
    if (isSealed) change('mix.sql');
    sealAgain(folder);
    if (!isSealed) change('mix.sql');
    const { page, markdown, links } = await reportOf();
    expect(links.map(({ name }) => name)).toEqual(['quick.yaml']);
    for (const text of [page, markdown]) expect(text).toContain(`inputs/files/mix.sql (${why}`);
    expect(markdown).not.toContain('From the files below');
    expect(page.length).toBeLessThan(2_000_000);
  });

  it('names a file that fewer people may read than the page, and does not hand it on', async () => {
    keep('secret.sql', 'SELECT $$of the owner$$;');
    sealAgain(folder);
    chmodSync(at('inputs/files/secret.sql'), 0o600);
    const { page, markdown, links } = await reportOf();
    expect(links.map(({ name }) => name)).toEqual(['quick.yaml']);
    expect(page).not.toContain(Buffer.from('of the owner').toString('base64').slice(0, 12));
    const why = 'it is not part of this page, because fewer people may read it than the rest of the results';
    for (const text of [page, markdown]) expect(text.replaceAll(/\s+/g, ' ')).toContain(`secret.sql (${why}`);

    // To whom all of the folder is closed, the page is too.
    for (const name of ['SHA256SUMS', 'inputs/files/quick.yaml']) chmodSync(at(name), 0o600);
    expect((await reportOf()).links.map(({ name }) => name)).toEqual(['quick.yaml', 'secret.sql']);
  });

  it('names a file that the folder of the run does not contain, without which no repeat is possible', async () => {
    keep('mix.sql', 'SELECT 1;');
    const files = { 'mix.sql': sumOf('inputs/files/mix.sql'), '../dumps/shop.dump': 'f00d' };
    const result = JSON.parse(readFileSync(at('result.json'), 'utf8')) as object;
    writeFileSync(at('result.json'), JSON.stringify({ ...result, tool: { name: 'pgbench', version: '17', files } }));
    sealAgain(folder);
    const { markdown } = await reportOf();
    expect(markdown).toContain('../dumps/shop.dump (SHA-256 f00d): not in this run’s folder');
    expect(markdown).not.toContain('From the files below');
  });

  it('is nothing that a manifest or a link takes from elsewhere', async () => {
    writeFileSync(at('secret'), 'not of this run');
    keep('mix.sql', 'SELECT 1;');
    sealAgain(folder);
    symlinkSync(at('secret'), at('inputs/files/linked.sql'));
    const line = `${sumOf('secret')}  inputs/files/linked.sql\n`;
    writeFileSync(at('SHA256SUMS'), readFileSync(at('SHA256SUMS'), 'utf8') + line);
    const { page, links } = await reportOf();
    expect(links.map(({ text }) => text)).not.toContain('not of this run');
    expect(page).toContain('inputs/files/linked.sql (it is not a file');
  });

  it('holds hostile names and contents as text', async () => {
    const name = `"><img src=x onerror=alert(1)>'; touch owned;.sql`;
    const text = `</a><script>alert(1)</script>" onclick="x`;
    keep(name, text);
    sealAgain(folder);
    const { page, links } = await reportOf();
    expect(page).not.toMatch(/<img|<script>alert|onclick="x/);
    expect(links.at(-1)).toEqual({ name: '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;; touch owned;.sql', text });
  });

  it.runIf(hasChromium)(
    'is saved by a click in a browser, as it was, and asks nothing of the network',
    { timeout: 120_000 },
    async () => {
      await reportOf();
      const browser = await launchChromium();
      try {
        const tab = await browser.newPage();
        const [requested, logged]: [string[], string[]] = [[], []];
        tab.on('request', (request) => requested.push(request.url()));
        tab.on('console', (message) => logged.push(message.text()));
        await tab.goto(pathToFileURL(at('report.html')).href);
        await tab.locator('summary', { hasText: 'Reproduce' }).click();
        const [download] = await Promise.all([tab.waitForEvent('download'), tab.locator('a[download]').click()]);
        expect(download.suggestedFilename()).toBe('quick.yaml');
        expect(readFileSync(await download.path(), 'utf8')).toBe('name: quick\n');
        expect(requested.filter((address) => !/^(file|data):/.test(address))).toEqual([]);
        expect(logged).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );
});

describe('the commands of a report', () => {
  const named = async (folder: string, workingFolder: string): Promise<string[]> => {
    const { exitCode, stderr } = await runCommandLine(['report', folder], { workingFolder });
    expect(exitCode, stderr).toBe(0);
    const markdown = readFileSync(at('report.md'), 'utf8');
    const commands = [
      ...markdown.matchAll(/npx --no-install pgduet (?:load-run|verify) (\S+)(?= --local --seed| compares)/g),
    ];
    return [...new Set(commands.map(([, location = '']) => location))];
  };

  it('name the run as seen from where they are typed, and never by its place as the latest', async () => {
    symlinkSync('one', path.join(root, 'latest'));
    expect(await named('latest', root)).toEqual(['one']);
    expect(await named('../one', folder)).toEqual(['.']);
    expect(await named(folder, at('inputs'))).toEqual([folder]);
    expect(await runCommandLine(['verify', 'one'], { workingFolder: root })).toMatchObject({ exitCode: 0 });
  });
});

describe('pgduet verify and a report', () => {
  it('say the same of what is compared, and know the run by the same hashes', async () => {
    const { page, markdown } = await reportOf();
    const { stdout } = await runCommandLine(['verify', '.'], { workingFolder: folder, columns: 200 });
    const hashes = [...stdout.matchAll(/^ {2}(\S+) +([0-9a-f]{64})$/gm)].map(([, what = '', sum = '']) => [what, sum]);
    expect(Object.fromEntries(hashes)).toEqual({
      SHA256SUMS: sumOf('SHA256SUMS'),
      'result.json': sumOf('result.json'),
      experiment: sumOf('inputs/files/quick.yaml'),
    });
    for (const [what, sum] of hashes) {
      expect(markdown).toContain(`SHA-256 of ${what}: ${sum}`);
      expect(page).toMatch(new RegExp(`SHA-256 of ${what}</dt>\\s*<dd>${sum}`));
    }
    for (const words of ['the load generator’s output and logs', 'a result recomputed from the trials']) {
      for (const text of [stdout, markdown, page]) expect(text).toContain(words);
    }
    const ending = stdout.trimEnd().split('\n').at(-1);
    expect(markdown).toContain(`it prints: ${ending}`);
  });
});

it.each([
  ['full', 'full'],
  ['', "''"],
  ['--out', "'--out'"],
  ['a b', "'a b'"],
  ["x'; touch owned; '", String.raw`'x'\''; touch owned; '\'''`],
  ['$(touch owned)', "'$(touch owned)'"],
])('a command that people copy has %j as one word', (text, word) => {
  expect(shellWord(text)).toBe(word);
});
