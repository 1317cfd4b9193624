import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { commandLine } from '../helpers/processes/command-line.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { saveResult } from '../helpers/samples/saved-sample.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'open-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** To a shell, this name would be two commands. */
const name = 'a run $(touch one);touch two';
await saveResult(path.join(folder, name), await sampleResult());
const opened = path.join(folder, 'opened');
const browser = path.join(folder, 'browser');
writeFileSync(browser, `#!/bin/sh\nprintf '%s' "$1" > '${opened}'\n`, { mode: 0o755 });
// No browser of this machine is known here, only this one.
const data = path.join(folder, 'data');
mkdirSync(data);
const desktop = { BROWSER: browser, XDG_DATA_DIRS: data, XDG_DATA_HOME: data, XDG_CONFIG_HOME: data };

const report = (environment: Record<string, string>) =>
  commandLine(['report', name, '--open'], { cwd: folder, temporary: folder, environment }).ended;
const page = path.join(folder, name, 'report.html');

it('report --open opens the page in the browser, whatever its folder is called', async () => {
  expect(await report({ ...desktop, DISPLAY: ':0' })).toMatchObject({ exitCode: 0, stderr: '' });
  await vi.waitFor(() => expect(existsSync(opened) && readFileSync(opened, 'utf8')).toBe(page), { timeout: 10_000 });
  expect(readdirSync(folder)).not.toEqual(expect.arrayContaining(['one']));
  expect(readdirSync(path.join(folder, name))).not.toContain('two');
});

it('report --open says where the page is if there is no display', async () => {
  const { exitCode, stdout, stderr } = await report(desktop);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(page);
  expect(stderr).toBe(
    `Could not open a browser (this machine has no display). Open this page yourself, or copy it to a machine with a browser: ${page}\n`,
  );
});
