import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deployable } from '../../../runner/rds/deploy/deployable.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { UserError } from '../../../runner/contract/errors.ts';
import { compileAll } from '../../../scripts/build/compile.ts';
import { makeControlGroup, removeControlGroup } from './control-group.ts';
import { prepareEmulator } from './prepare-emulator.ts';
import { failures } from './failures.ts';
import { foreignEndpoints } from './foreign-endpoints.ts';
import { installPrograms } from './host-programs.ts';

/**
 * `npm run rehearse`: does everything that a deploy does, without an AWS account. It makes private network, mount and PID
 * namespaces, and runs the scenarios in them. When the first process of a PID namespace ends, all its other processes end,
 * too. With the last process, the mounts, the network and the scratch space disappear.
 */
const project = path.resolve(import.meta.dirname, '../../..');

/** In the order in which they begin: the longest first, so that the end does not wait for one that began late. */
const ci = ['permissions', 'faults', 'in-force', 'good-path', 'profiles', 'endings', 'servers', 'launch-policy'];
const beyondCi = ['early-failures', 'slow-s3', 'two-owners', 'by-service', 'proxy', 'load-once', 'machine'];
const all = ['studies', 'bills', ...ci.slice(0, 3), 'user-data', 'hammerdb', ...ci.slice(3), ...beyondCi];
const singles = Object.fromEntries([...all, 'power'].map((scenario) => [scenario, [scenario]]));
/** What can be asked for, and the scenarios for it. The name of an experiment stands for the good path. */
const parts: Record<string, readonly string[]> = { ...singles, ci, all };
/** So many run side by side: most of the time each waits for something. */
const scenariosAtOnce = 3;

const asked = process.argv.slice(2);
const logs = path.join(project, 'dist/rehearsal/logs');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const namespaces = ['--mount', '--net', '--pid', '--mount-proc', '--propagation', 'private', '--fork', '--kill-child'];
const environment: Record<string, string> = {
  // Without the caller's AWS settings; of the rest only what programs need to run at all.
  ...pick(process.env, ['PATH', 'LANG', 'TERM', 'COLORTERM', 'NO_COLOR', 'CI', 'PGDUET_PG_BINDIR']),
  HOME: '/mnt/home',
  TMPDIR: '/mnt/tmp',
};
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interruption.abort());

const usage = `npm run rehearse -- EXPERIMENT [PROFILE], or one or more of ${Object.keys(parts).join(', ')}`;

if (asked.length === 0) say(usage);
else await rehearseAll();

async function rehearseAll(): Promise<void> {
  try {
    const chosen = chosenScenarios();
    // What is deployed is what a package has.
    await compileAll();
    await installPrograms(say);
    environment['REHEARSE_EMULATOR'] = await prepareEmulator(project, say);
    mkdirSync(logs, { recursive: true });
    for (const old of readdirSync(logs)) rmSync(path.join(logs, old), { recursive: true });
    const queue = [...chosen];
    const unproved = (await Promise.all(Array.from({ length: scenariosAtOnce }, () => rehearseFrom(queue)))).flat();
    if (unproved.length > 0) {
      // Once more at the end, since the output of three scenarios at once hides them.
      const failed = unproved.map((scenario) => failures(scenario, path.join(logs, scenario))).join('\n\n');
      const summary = `${failed}\n\nNot proved: ${unproved.join(', ')}. Logs: ${logs}`;
      writeFileSync(path.join(logs, 'failures.txt'), `${summary}\n`);
      say(summary);
    }
    process.exitCode = interruption.signal.aborted ? 130 : unproved.length > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

/** @throws {UserError} if it cannot be rehearsed at all, or not here */
function chosenScenarios(): readonly string[] {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new UserError('The rehearsal makes namespaces and mounts of its own: run it as root, on Linux.');
  }
  const foreign = foreignEndpoints(process.env);
  if (foreign.length > 0) {
    throw new UserError(
      `${foreign.join(', ')}: an AWS endpoint that is not on loopback. Unset it: the rehearsal must not be able to reach anything else.`,
    );
  }
  const chosen = asked.map((name) => parts[name]);
  if (chosen.every((scenarios) => scenarios !== undefined)) return [...new Set(chosen.flat())];
  const [name = '', profile = 'smoke', ...rest] = asked;
  if (rest.length > 0 || parts[name] || parts[profile]) {
    throw new UserError(`${asked.join(' ')}: what is that? Say: ${usage}`);
  }
  const { experiment } = loadExperiment(name, { folder: project, profile });
  deployable(experiment, profile);
  environment['REHEARSE_EXPERIMENT'] = `${name} ${profile}`;
  return ['good-path'];
}

/** Takes scenarios from a queue that others take from, too, until it is empty; returns those that failed. */
async function rehearseFrom(queue: string[]): Promise<string[]> {
  const failed: string[] = [];
  for (let scenario = queue.shift(); scenario !== undefined && !interruption.signal.aborted; scenario = queue.shift()) {
    if ((await rehearse(scenario)) !== 0) failed.push(scenario);
  }
  return failed;
}

/** Runs one scenario in namespaces of its own. */
async function rehearse(scenario: string): Promise<number | null> {
  const vitest = [process.execPath, path.join(project, 'node_modules/vitest/vitest.mjs'), 'run'];
  const config = ['--config', 'test/rehearsal/vitest.config.ts'];
  // The steps of these build on each other.
  const bail = ['good-path', 'launch-policy'].includes(scenario) ? ['--bail', '1'] : [];
  const ownLogs = path.join(logs, scenario);
  mkdirSync(ownLogs);
  const controlGroup = makeControlGroup(scenario);
  const inside = ['/bin/sh', path.join(import.meta.dirname, 'namespace.sh'), project, ownLogs, controlGroup];
  const child = spawn(
    'unshare',
    [...namespaces, ...inside, ...vitest, ...config, ...bail, `test/rehearsal/scenarios/${scenario}.scenario.ts`],
    {
      stdio: 'inherit',
      env: { ...environment, REHEARSE_CONTROL_GROUP: controlGroup },
    },
  );
  const end = (): void => void child.kill('SIGKILL');
  interruption.signal.addEventListener('abort', end);
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  interruption.signal.removeEventListener('abort', end);
  removeControlGroup(controlGroup);
  return exitCode;
}

function pick(all: NodeJS.ProcessEnv, names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
}
