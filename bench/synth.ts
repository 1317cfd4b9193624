import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compiled, project } from '../lib/build-options.ts';
import { median } from '../runner/statistics/summaries.ts';

const rounds = { warm: 7, cold: 3 };
const maxRatio = 1.5;

/** What an app with next to nothing in it costs: CloudFormation takes no stack without a resource. */
const emptyApp = (props: string): string => `
import { App, CfnWaitConditionHandle, Stack } from 'aws-cdk-lib';
new CfnWaitConditionHandle(new Stack(new App(${props}), 'Empty'), 'Nothing');
`;
/** As the CDK makes an app, and with its validator off, as ours has it (bin/app.ts). */
const emptyApps = { empty: '', 'empty, not validated': '{ builtinCloudFormationValidation: false }' };

/** Takes files out of the memory of the system, so that the next start reads them from the disk. */
const evict = `
import os, sys
for top in sys.argv[1:]:
    for folder, _, files in os.walk(top):
        for name in files:
            try:
                file = os.open(os.path.join(folder, name), os.O_RDONLY)
            except OSError:
                continue
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)
`;

/**
 * Measures how long `cdk synth` takes for dlv-pgbench, and for apps with an empty stack. They take turns, so that other
 * load slows all. Ends with 1 if it takes longer than it may, beside an app as the CDK makes it. A cold start reads all
 * files from the disk; Node.js and the CDK keep nothing compiled between two starts.
 */
export function benchSynth(): void {
  const folder = mkdtempSync(path.join(project, 'dist/bench-synth-'));
  try {
    const apps: Record<string, string[]> = {
      'dlv-pgbench': [
        `node ${path.join(compiled, 'app.mjs')}`,
        ...['--context', 'experiment=dlv-pgbench', '--context', 'owner=alice'],
      ],
    };
    for (const [name, props] of Object.entries(emptyApps)) {
      const file = path.join(folder, `${name.replaceAll(/\W+/g, '-')}.mjs`);
      writeFileSync(file, emptyApp(props));
      apps[name] = [`node ${file}`];
    }
    for (const [state, times] of Object.entries(rounds)) {
      const seconds = new Map(Object.keys(apps).map((name) => [name, [] as number[]]));
      for (let round = 0; round < times; round += 1) {
        for (const [name, [app = '', ...words]] of Object.entries(apps)) {
          if (state === 'cold') {
            run('python3', ['-c', evict, path.join(project, 'node_modules'), path.join(project, compiled)]);
          }
          const cdk = path.join(project, 'node_modules/aws-cdk/bin/cdk');
          const options = ['--quiet', '--no-notices', '--output', path.join(folder, 'out')];
          seconds.get(name)?.push(run(process.execPath, [cdk, 'synth', ...options, '--app', app, ...words]));
        }
      }
      const own = median(seconds.get('dlv-pgbench') ?? []) ?? NaN;
      process.stdout.write(`${state}: dlv-pgbench ${own.toFixed(2)} s\n`);
      for (const name of Object.keys(emptyApps)) {
        const bare = median(seconds.get(name) ?? []) ?? NaN;
        process.stdout.write(
          `  ${name}: ${bare.toFixed(2)} s; dlv-pgbench takes ${(own / bare).toFixed(2)} times that\n`,
        );
      }
      const bare = median(seconds.get('empty') ?? []) ?? NaN;
      if (!(own / bare <= maxRatio)) process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns how long it took, in seconds */
function run(program: string, args: readonly string[]): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(program, args, { cwd: project, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status ?? 'a signal'}: ${stderr}`);
  return (performance.now() - begun) / 1000;
}
