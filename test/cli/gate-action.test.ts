import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Gate, GateFinding } from '../../runner/contract/gate.ts';
import { gateJunit } from '../../runner/report/gate/junit.ts';
import { gateSummary } from '../../runner/report/gate/summary.ts';

const script = path.resolve('action/gate.sh');

/** What GitHub's API knows: comments of pull request 7. */
let comments: { id: number; body: string }[];
let asked: string[];
/** Whether the token may comment. */
let mayComment: boolean;
let server: Server;
let folder: string;

beforeEach(async () => {
  comments = [{ id: 1, body: 'looks good' }];
  asked = [];
  mayComment = true;
  folder = mkdtempSync(path.join(tmpdir(), 'gate-action-'));
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { method = '', url = '' } = request;
      asked.push(`${method} ${url} ${request.headers.authorization ?? ''}`);
      const answer = (status: number, body: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (method === 'GET') {
        answer(200, comments);
        return;
      }
      if (!mayComment) {
        answer(403, { message: 'Resource not accessible by integration' });
        return;
      }
      const { body } = JSON.parse(text) as { body: string };
      const id = Number(/\/comments\/(\d+)$/.exec(url)?.[1]);
      if (method === 'POST') comments.push({ id: comments.length + 1, body });
      else comments = comments.map((one) => (one.id === id ? { id, body } : one));
      answer(200, {});
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** A repository whose pgduet has this outcome, and prints its environment into a file. */
function repositoryWith(finding: GateFinding, exitCode: number): void {
  const found: Gate = {
    kind: 'pgduet-gate',
    experiment: 'shop',
    ...finding,
    base: { ref: 'main', commit: 'a'.repeat(40) },
    head: { ref: 'HEAD', commit: 'b'.repeat(40) },
    metric: 'tps',
    threshold: 0.05,
    change: -0.2,
    interval: { low: -0.25, high: -0.15, level: 0.95 },
    control: null,
    finds: null,
    blocks: 6,
    run: 'results/shop-gate/1',
  };
  const programs = path.join(folder, 'node_modules/.bin');
  mkdirSync(programs, { recursive: true });
  for (const [name, content] of [
    ['gate.json', JSON.stringify(found)],
    ['summary.txt', gateSummary(found, null)],
    ['junit.txt', gateJunit(found)],
    [
      'node_modules/.bin/pgduet',
      `#!/bin/sh\nenv > environment.txt\necho "$@" > arguments.txt\nwhile [ $# -gt 0 ]; do\n  case "$1" in --summary) cp summary.txt "$2" ;; --junit) cp junit.txt "$2" ;; esac\n  shift\ndone\ncat gate.json\nexit ${exitCode}\n`,
    ],
  ] as const) {
    writeFileSync(path.join(folder, name), content);
  }
  chmodSync(path.join(programs, 'pgduet'), 0o755);
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'main', folder]);
  const commit = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--allow-empty', '-m', 'one'];
  execFileSync('git', ['-C', folder, ...commit]);
}

/** Runs the action's script as a runner would. */
async function act(environment: Readonly<Record<string, string>> = {}): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      // PostgreSQL is there.
      PGDUET_PG_BINDIR: '/nowhere',
      GITHUB_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      GITHUB_REPOSITORY: 'someone/shop',
      GITHUB_OUTPUT: path.join(folder, 'output'),
      GITHUB_STEP_SUMMARY: path.join(folder, 'step-summary'),
      ...{ GATE_EXPERIMENT: 'shop', GATE_BASE: 'main', GATE_HEAD: 'HEAD', GATE_MINUTES: '3' },
      ...{ GATE_OPTIONS: '--threshold 0.1', GATE_COMMENT: 'true', GATE_PULL_REQUEST: '7', GATE_TOKEN: 'secret-word' },
      ...environment,
    };
    execFile('bash', [script], { cwd: folder, env, timeout: 60_000 }, (error, stdout) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout });
    });
  });
}

const written = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

describe('the action on GitHub', () => {
  it.each([
    [{ outcome: 'fail', because: 'worse' }, 1, '::error'],
    [{ outcome: 'pass', because: 'better' }, 0, '::notice'],
    [{ outcome: 'pass', because: 'equivalent' }, 0, '::notice'],
    [{ outcome: 'no-verdict', because: 'inconclusive' }, 0, '::warning'],
    [{ outcome: 'no-verdict', because: 'withheld' }, 0, '::warning'],
  ] as const)('tells %j as comment, summary, annotation and exit code', async (finding, code, annotation) => {
    repositoryWith(finding, code);
    const ended = await act();
    expect(ended.code).toBe(code);
    expect(ended.stdout).toContain(`${annotation} title=pgduet shop::`);
    const summary = written('summary.txt');
    expect(written('step-summary')).toBe(summary);
    expect(comments.map(({ body }) => body)).toEqual(['looks good', `<!-- pgduet gate shop -->\n${summary}`]);
    expect(written('output')).toBe(`outcome=${finding.outcome}\nname=shop\nresults=results/shop-gate/1\n`);
    expect(written('arguments.txt')).toContain('gate shop --base main --head HEAD --minutes 3 ');
    expect(written('arguments.txt')).toContain('--threshold 0.1');
  });

  it('edits its own comment at the second push', async () => {
    repositoryWith({ outcome: 'fail', because: 'worse' }, 1);
    await act();
    repositoryWith({ outcome: 'pass', because: 'better' }, 0);
    await act();
    expect(comments).toHaveLength(2);
    expect(comments[1]?.body).toContain(': pass');
  });

  it('ends as the gate does if it may not comment, as in a pull request from a fork', async () => {
    repositoryWith({ outcome: 'fail', because: 'worse' }, 1);
    mayComment = false;
    const { code, stdout } = await act();
    expect(code).toBe(1);
    expect(stdout).toContain('no comment could be made');
    expect(written('step-summary')).toContain(': fail');
  });

  it('asks nobody where there is no pull request, or no comment is wanted', async () => {
    repositoryWith({ outcome: 'pass', because: 'better' }, 0);
    expect((await act({ GATE_PULL_REQUEST: '' })).code).toBe(0);
    expect((await act({ GATE_COMMENT: 'false' })).code).toBe(0);
    expect(asked).toEqual([]);
  });

  it('shows the token to the platform only', async () => {
    repositoryWith({ outcome: 'pass', because: 'better' }, 0);
    const { stdout } = await act();
    expect(asked.every((one) => one.endsWith('Bearer secret-word'))).toBe(true);
    for (const text of [stdout, written('environment.txt'), written('arguments.txt')]) {
      expect(text).not.toContain('secret-word');
    }
  });

  it('says that there is no outcome if the gate could not begin', async () => {
    repositoryWith({ outcome: 'pass', because: 'better' }, 0);
    writeFileSync(path.join(folder, 'node_modules/.bin/pgduet'), '#!/bin/sh\nexit 2\n');
    const { code, stdout } = await act();
    expect(code).toBe(2);
    expect(stdout).toContain('::error title=pgduet::');
    expect(existsSync(path.join(folder, 'step-summary'))).toBe(false);
  });
});
