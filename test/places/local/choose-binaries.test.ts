import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../runner/contract/errors.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import {
  chooseBinaries,
  chooseClients,
  requirePrograms,
  serverPrograms,
} from '../../../runner/places/local/choose-binaries.ts';
import { findInstallations } from '../../../runner/places/local/installations.ts';
import { validateServers } from '../../../runner/places/local/room.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'choose-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

/** A folder with such programs of such a version. */
function provide(name: string, version: string, ...programs: string[]): string {
  const folder = path.join(root, name);
  mkdirSync(folder);
  for (const program of programs) {
    writeFileSync(path.join(folder, program), `#!/bin/sh\necho '${program} (PostgreSQL) ${version}'\n`, {
      mode: 0o755,
    });
  }
  return folder;
}

const server = ['postgres', 'initdb'];
const all = [...server, 'pgbench'];
const variants = (...versions: (string | undefined)[]) =>
  Object.fromEntries(versions.map((version, index) => [`v${index}`, { engine: { version } }]));

interface Folders {
  explicit?: string[];
  listed?: string[];
  versioned?: string[];
}
const find = ({ explicit = [], listed = [], versioned = [] }: Folders) =>
  findInstallations(
    {
      explicit,
      environment: { PGDUET_PG_BINDIR: listed.join(':'), PATH: '' },
      versioned,
      signal: new AbortController().signal,
    },
    serverPrograms,
  );

it('only folders that the user named are looked at where others would not count', async () => {
  const [named, other] = [provide('named', '16.2', ...all), provide('other', '17.1', ...all)];
  const environment = { PGDUET_PG_BINDIR: named, PATH: '' };
  const lookUp = { environment, versioned: [other], signal: new AbortController().signal };
  const { installations } = await findInstallations(lookUp, serverPrograms, { onlyNamed: true });
  expect(installations.map(({ folder }) => folder)).toEqual([named]);
});

describe('the PostgreSQL of a variant', () => {
  it('is the first of its major version in the order of look-up, and without a version the first of all', async () => {
    const [a, b, c] = [provide('a', '16.2', ...all), provide('b', '17.1', ...all), provide('c', '17.3', ...all)];
    const found = await find({ explicit: [a], listed: [b], versioned: [c] });
    const { servers } = chooseBinaries(variants('17', undefined), found);
    expect([...servers.values()].map(({ folder }) => folder)).toEqual([b, a]);
  });

  it('is the one with its minor version, though another comes first', async () => {
    const found = await find({ versioned: [provide('a', '16.4', ...all), provide('b', '16.14', ...all)] });
    expect(chooseBinaries(variants('16.14'), found).servers.get('v0')?.version).toBe('16.14');
  });

  it.each(['16', '16.4', '17.1'])('is refused with what there is if %s is not here', async (version) => {
    const found = await find({ versioned: [provide('a', '15.18', ...all), provide('b', '17.10', ...all)] });
    expect(() => chooseBinaries(variants('15', version), found)).toThrow(UserError);
    expect(() => chooseBinaries(variants('15', version), found)).toThrow(
      new RegExp(
        `v1\\.engine\\.version: "${version}" is not installed here\\.\nThis machine has:\n  15\\.18 in .*/a\n  17\\.10 in .*/b\n.*--pg-bindir`,
      ),
    );
  });

  it('needs no pgbench beside it', async () => {
    const found = await find({
      explicit: [provide('a', '17.1', ...server)],
      versioned: [provide('b', '15.2', ...all)],
    });
    const { servers, clients } = chooseBinaries(variants('17'), found);
    expect([servers.get('v0')?.version, clients.version]).toEqual(['17.1', '15.2']);
  });
});

describe('pgbench', () => {
  it('is the newest of the installations in use, not of all', async () => {
    const versioned = [provide('a', '18.1', ...all), provide('b', '15.2', ...all), provide('c', '15.10', ...all)];
    const { clients } = chooseBinaries(variants('15.2', '15.10'), await find({ versioned }));
    expect(clients.version).toBe('15.10');
  });

  it('is missed with the command that installs it', async () => {
    const found = await find({ versioned: [provide('a', '17.1', ...server)] });
    expect(() => chooseBinaries(variants('17'), found)).toThrow(
      /with pgbench is needed.*\n {2}.*\/a: has no pgbench\nInstall/,
    );
  });

  it('of servers that run already needs none of their installations', async () => {
    const found = await find({ versioned: [provide('a', '15.2', 'pgbench')] });
    expect(chooseClients(variants('17'), found).version).toBe('15.2');
  });
});

describe('a folder of --pg-bindir', () => {
  it('that no variant takes is refused', async () => {
    const found = await find({ explicit: [provide('a', '15.2', ...all), provide('b', '17.1', ...all)] });
    expect(() => chooseBinaries(variants('15', undefined), found)).toThrow(
      /--pg-bindir is .*\/b: no variant uses PostgreSQL 17\.1\. Set engine\.version/,
    );
  });

  it('that has no server is refused, also as one of several in PGDUET_PG_BINDIR', async () => {
    const [good, bad] = [provide('a', '15.2', ...all), provide('b', '17.1', 'pgbench')];
    await expect(find({ explicit: [bad] })).rejects.toThrow(`--pg-bindir is ${bad}: has no postgres, no initdb`);
    await expect(find({ listed: [good, bad] })).rejects.toThrow(
      `PGDUET_PG_BINDIR is ${bad}: has no postgres, no initdb`,
    );
  });
});

it('names the client programs that the workload needs and that are not there', () => {
  const { workload } = loadExperiment('wal-placement', { folder: process.cwd() }).experiment;
  const variants = {};
  const own = (load: object) => ({ workload: { ...workload, tool: 'own-data', load }, variants });
  const folder = provide('clients', '16.4', 'pgbench', 'psql');
  requirePrograms({ workload, variants }, folder);
  requirePrograms(own({ sql: ['schema.sql'] }), folder);
  expect(() => requirePrograms(own({ dump: 'shop.dump' }), folder)).toThrow(
    /needs pg_restore, missing from .*clients\. Install the PostgreSQL client programs/,
  );
});

describe('two builds of one version', () => {
  it('are refused with the reason: a variant cannot say which of them it means', async () => {
    const folders = ['plain', 'patched'].map((name) => provide(name, '15.18', ...all));
    const found = await find({ explicit: folders });
    expect(() => chooseBinaries(variants('15.18', '15.18'), found)).toThrow(
      `--pg-bindir is ${folders[1]}: its version is 15.18, and so is that of ${folders[0]}, which comes first. A variant names only a version, so one run cannot tell two builds of a version apart.`,
    );
  });
});

describe('the servers of a run', () => {
  const validateScripts = (folders: string[], versions: (string | undefined)[], isElsewhere = false) =>
    validateServers({ variants: variants(...versions) } as unknown as Parameters<typeof validateServers>[0], {
      explicit: folders,
      environment: { PATH: '' },
      versioned: [],
      signal: new AbortController().signal,
      folder: root,
      say: () => undefined,
      isElsewhere,
    });

  it('are refused before anything is shown if one is too old, also where others may be elsewhere', async () => {
    const old = provide('old', '13.22', ...all);
    await expect(validateScripts([old], [undefined])).rejects.toThrow(
      /13\.22 is too old; expected PostgreSQL 14 to 19/,
    );
    await expect(validateScripts([old], [undefined], true)).rejects.toThrow(/13\.22 is too old/);
  });

  it('may be newer than every known version, which is said', async () => {
    const newer = provide('newer', '20beta1', ...all);
    expect(await validateScripts([newer], [undefined])).toMatch(
      /^PostgreSQL 20beta1 is newer than pgduet knows \(up to 19\)/,
    );
    expect(await validateScripts([provide('known', '19.1', ...all)], [undefined])).toBeNull();
  });
});
