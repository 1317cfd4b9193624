import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitOf, filesOfCommit, keepTree, repositoryAround } from '../../runner/run/commits.ts';

const how = { environment: process.env, signal: new AbortController().signal };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gate-commits-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function git(...args: string[]): string {
  const named = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', ['-C', folder, ...named, ...args], { encoding: 'utf8' }).trim();
}

function commit(files: Readonly<Record<string, string | Buffer>>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'change');
  return git('rev-parse', 'HEAD');
}

describe('files of a commit', () => {
  it('are those of that commit, whatever the working tree has, byte by byte', async () => {
    git('init', '--quiet');
    const bytes = Buffer.from([0, 255, 13, 10, 0]);
    const first = commit({ 'sql/a b.sql': 'SELECT 1;\n', 'sql/two/[b].sql': bytes, 'other.sql': 'x' });
    commit({ 'sql/a b.sql': 'SELECT 2;\n' });
    writeFileSync(path.join(folder, 'sql/a b.sql'), 'SELECT 3;\n');
    const repository = await repositoryAround(path.join(folder, 'sql'), how);
    expect(await commitOf('HEAD~1', 'base', repository)).toBe(first);
    const files = await filesOfCommit(first, ['sql/', 'missing.sql'], repository);
    expect([...files.keys()].sort()).toEqual(['sql/a b.sql', 'sql/two/[b].sql']);
    expect(Buffer.from(files.get('sql/a b.sql') ?? []).toString()).toBe('SELECT 1;\n');
    expect(Buffer.from(files.get('sql/two/[b].sql') ?? [])).toEqual(bytes);
    expect([...(await filesOfCommit(first, ['sql/two/[b].sql'], repository)).keys()]).toEqual(['sql/two/[b].sql']);
  });

  it('are kept in a folder that depends on nothing but them', async () => {
    const tree = new Map([
      ['a.sql', Buffer.from('SELECT 1;')],
      ['b/c.sql', Buffer.from('SELECT 2;')],
    ]);
    const kept = await keepTree(tree, path.join(folder, 'trees'));
    expect(readFileSync(path.join(kept, 'b/c.sql'), 'utf8')).toBe('SELECT 2;');
    expect(await keepTree(new Map([...tree].reverse()), path.join(folder, 'trees'))).toBe(kept);
    expect(await keepTree(new Map([...tree, ['d', Buffer.from('')]]), path.join(folder, 'trees'))).not.toBe(kept);
  });

  it('are refused if one is a link', async () => {
    git('init', '--quiet');
    symlinkSync('/etc/passwd', path.join(folder, 'a.sql'));
    const only = commit({});
    const repository = await repositoryAround(folder, how);
    await expect(filesOfCommit(only, ['a.sql'], repository)).rejects.toThrow(/a\.sql is a link/);
  });
});

describe('a commit', () => {
  it.each(['nowhere', '--help', '-x', 'HEAD:a.sql'])('that is not there is refused: %s', async (ref) => {
    git('init', '--quiet');
    commit({ 'a.sql': 'x' });
    const repository = await repositoryAround(folder, how);
    await expect(commitOf(ref, 'head', repository)).rejects.toThrow(`--head ${ref}: `);
  });

  it('needs a repository', async () => {
    await expect(repositoryAround(folder, how)).rejects.toThrow(/is in no repository/);
  });
});
