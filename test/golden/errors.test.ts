import { expect, it } from 'vitest';

import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';

type Small = ReturnType<typeof smallExperiment>;

/** Files with mistakes, one for each kind of remedy. Which problems there are is tested by their codes (test/experiment). */
const mistakes: Record<string, string | ((small: Small) => void)> = {
  'no YAML': 'name: small\n  question: Is b faster?\n',
  'a property that does not exist': (small) => (small.workload['clinets'] = 4),
  'a property that is lacking': (small) => delete small.workload['scale'],
  'a value out of its range': (small) => (small.workload['clients'] = 0),
  'a text where a number belongs': (small) => (small.workload['clients'] = 'four'),
  'a tool that does not exist': (small) => (small.workload['tool'] = 'pgbnch'),
  'a baseline that is no variant': (small) => (small['baseline'] = 'c'),
  'storage that RDS does not have': (small) => (small.common['storage'] = { type: 'gp3', sizeGib: 1000, iops: 10 }),
  'a parameter that does not exist': (small) =>
    (small.variants['b'] = { engine: { parameters: { wal_bufers: '1MB' } } }),
  'a metric that does not exist': (small) => (small['decision'] = { metric: 'latency.p98' }),
  'several mistakes': (small) => {
    small['baseline'] = 'c';
    small['protocol'] = { blocks: 0, order: 'radnom' };
  },
};

it('mistakes in a file are told as they were', async () => {
  const told: string[] = [];
  for (const [name, mistake] of Object.entries(mistakes)) {
    const small = smallExperiment();
    if (typeof mistake !== 'string') mistake(small);
    const folder = folderWithExperiment('small', typeof mistake === 'string' ? mistake : small);
    const { stderr, exitCode } = await runCommandLine(['plan', 'small'], { workingFolder: folder, columns: 80 });
    told.push(`===== ${name}: exit code ${exitCode}\n${stderr.replaceAll(folder, '/folder')}`);
  }
  await expect(told.join('\n')).toMatchFileSnapshot('errors/mistakes-in-a-file.txt');
});
