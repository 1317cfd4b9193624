import { optionsOfPgbench } from '../../runner/workloads/pgbench/driver.ts';
import { entry, type ReferencePage, sentence } from './page.ts';

export function pgbenchOptionsPage(): ReferencePage {
  return {
    file: 'docs/reference/pgbench-options.md',
    title: 'Reference: every option of pgbench',
    source: 'runner/workloads/pgbench/driver.ts',
    introduction:
      'What an experiment sets for each option of pgbench 14 to 19, or why it cannot. The keys are those of\n' +
      '[`workload`](experiment.md#workload-tool-pgbench).',
    body: Object.entries(optionsOfPgbench)
      .map(([option, use]) =>
        entry(
          option,
          [
            'since' in use && use.since !== undefined ? `pgbench ${use.since} and newer` : '',
            'refused' in use ? 'not in an experiment' : '',
          ],
          [sentence('setBy' in use ? use.setBy : use.refused)],
        ),
      )
      .join('\n'),
  };
}
