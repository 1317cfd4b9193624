import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { launchChromium } from '../../../scripts/chromium.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { readRunFolder } from '../../../runner/storage/run-folder.ts';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { nobody } from '../../helpers/hostile/neighbour.ts';
import type { CommandLine } from '../../helpers/processes/command-line.ts';
import { tinyExperiment, TinyRun } from '../../helpers/processes/tiny-run.ts';

const asRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0;

/** Runs its arguments in a terminal, whose text goes to standard error. */
const inTerminal = `
import os, pty, sys
os.dup2(2, 1)
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
`;

/**
 * What another user finds: answers without the token, and the token in what he may read. It comes by standard input, so
 * that this does not show it itself.
 */
const intruder = `
import glob, http.client, json, os, sys
asked = json.load(sys.stdin)
answers = []
for path in ["/", "/events", "/" + "A" * 22, "/" + "A" * 22 + "/events", "/result.json"]:
    connection = http.client.HTTPConnection("127.0.0.1", asked["port"], timeout=10)
    connection.request("GET", path)
    response = connection.getresponse()
    answers.append([response.status, response.read().decode()])
found, read = [], 0
files = glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/proc/[0-9]*/environ")
for folder in asked["folders"]:
    files += [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
for name in files:
    try:
        with open(name, "rb") as file:
            read += 1
            if asked["token"].encode() in file.read(): found.append(name)
    except OSError: pass
print(json.dumps({"answers": answers, "found": found, "read": read}))
`;

interface Haul {
  answers: [status: number, body: string][];
  found: string[];
  read: number;
}

/** Keeps what the page shows after each change: it may be over before the test asks. */
const keepWhatIsShown = `
globalThis.shown = [];
document.addEventListener('DOMContentLoaded', () => {
  const keep = () => shown.push(document.body.innerText);
  keep();
  new MutationObserver(keep).observe(document.body, { childList: true, subtree: true, characterData: true });
});
`;

const patience = { timeout: 90_000, interval: 200 };

let browser: Browser;
let tiny: TinyRun;
let page: Page;
beforeAll(async () => {
  if (hasChromium) browser = await launchChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  tiny = new TinyRun();
  page = await browser.newPage();
  await page.addInitScript({ content: keepWhatIsShown });
});
afterEach(async () => {
  await page.close();
  tiny.remove();
});

/** A run in a terminal, and the address that it shows there. */
async function started(...words: string[]): Promise<{ run: CommandLine; address: string }> {
  const run = tiny.runAs({ inside: ['python3', '-c', inTerminal], environment: { TERM: 'xterm' } }, ...words);
  let shown = '';
  run.process.stderr?.on('data', (text: string) => (shown += text));
  const address = await vi.waitFor(
    () => {
      const [, found] = /Live: (http:\S+)\r?\n/.exec(shown) ?? [];
      if (found === undefined) throw new Error(`no address in: ${shown}`);
      return found;
    },
    { timeout: 60_000, interval: 50 },
  );
  return { run, address };
}

/** Waits until the page has shown something that matches all, and returns all that it showed then. */
async function until(...texts: RegExp[]): Promise<string> {
  return vi.waitFor(async () => {
    const shown = await page.evaluate<string[]>('globalThis.shown');
    const found = shown.find((one) => texts.every((text) => text.test(one)));
    if (found === undefined) throw new Error(`not shown: ${texts.join(' ')}, but: ${shown.at(-1) ?? ''}`);
    return found;
  }, patience);
}

function measured(): readonly Trial[] {
  return readRunFolder(path.join(tiny.folder, 'results/tiny/latest')).trials;
}

function askAsAnother(address: string): Haul {
  const { port, pathname } = new URL(address);
  const input = { port: Number(port), token: pathname.slice(1), folders: [tiny.folder] };
  const { stdout, stderr } = spawnSync('python3', ['-c', intruder], {
    ...nobody,
    input: JSON.stringify(input),
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Haul;
}

/** All files below a folder that hold a text. */
function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter((file) => readFileSync(file).includes(text));
}

describe.skipIf(!hasChromium || !asRootOnLinux)('load-run --live', () => {
  test('a browser that opens the page in mid-run sees the next trial arrive, and another user is refused', async () => {
    tiny.define({ ...tinyExperiment, workload: { ...tinyExperiment.workload, durationSeconds: 4 } });
    const { run, address } = await started('load-run', 'tiny', '--local', '--volumes', 'folders', '--live');
    await vi.waitFor(() => expect(measured().filter(({ state }) => state === 'finished')).toHaveLength(1), patience);
    await page.goto(address);
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));

    expect(await until(/Trials so far/)).toContain(
      'The first appears after the next trial that ends while this page is open.',
    );
    const { answers, found, read } = askAsAnother(address);
    expect(answers).toEqual(Array.from({ length: 5 }, () => [403, '']));
    expect(found).toEqual([]);
    expect(read).toBeGreaterThan(10);

    await until(
      /The run is in progress: 2 of 4 planned trials have finished/,
      /No verdict until the planned 2 blocks are measured/,
      /Trial \d of 4 · (one|two) · /,
    );
    await until(/The run is in progress: 3 of 4 planned trials have finished/);

    await until(/The run has ended/, /^(?![^]*in progress)/);
    const { exitCode, stderr } = await run.ended;
    expect(exitCode, stderr).toBe(0);
    expect(tiny.result().trials.map(({ live }) => live)).toEqual([true, true, true, true]);
    expect(requested).toEqual([]);
    expect(filesWith(new URL(address).pathname.slice(1), tiny.folder)).toEqual([]);
    await expect(page.reload()).rejects.toThrow('ERR_CONNECTION_REFUSED');
    tiny.expectNothingLeft();
  });

  test('a run that may stop early shows no figures before its end, and Ctrl-C frees the port', async () => {
    tiny.define({ ...tinyExperiment, protocol: { ...tinyExperiment.protocol, blocks: 20, until: 'verdict' } });
    const { run, address } = await started('load-run', 'tiny', '--local', '--volumes', 'folders', '--live');
    await page.goto(address);
    const shown = await until(/1\s+1\s+(one|two)\s+finished[^]*2\s+1\s+(one|two)\s+finished/);
    expect(shown).toContain('Figures stay hidden until the run ends.');
    expect(shown).not.toContain('tps');
    const figures = measured().flatMap(({ measures }) => [measures['tps'] ?? [], measures['latency.p50'] ?? []]);
    expect(figures.flat().length).toBeGreaterThanOrEqual(4);
    for (const figure of figures.flat()) expect(shown).not.toContain(figure.toPrecision(3));
    run.process.stdin?.write('\u0003');
    expect((await run.ended).exitCode).toBe(130);
    await expect(page.reload()).rejects.toThrow('ERR_CONNECTION_REFUSED');
    tiny.expectNothingLeft();
  });
});
