import type { Result } from '../../contract/result.ts';
import { placeNamed } from '../../places/registry.ts';

/** How to measure the same once more, and how to check what was measured. */
export interface RepeatView {
  /** To be carried out in the folder of the run, which holds its experiment with all scripts in inputs/. */
  command: string;
  terms: [term: string, words: string][];
}

const localCommand = 'npx pgduet load-run ./ --local';

export function viewRepeat({ experiment, place, variants, toolVersion, endedAt }: Result): RepeatView {
  const { name, profile, seed } = experiment;
  const versions = [...new Set(variants.flatMap(({ serverVersion }) => serverVersion ?? []))];
  const command = placeNamed(place.kind).isMadeByRun
    ? `${localCommand} --seed ${seed}`
    : `npx cdk deploy -c experiment=${name} -c profile=${profile}`;
  return {
    command,
    terms: [
      ['Once more', `${command} (in the folder of this run; inputs/ holds its experiment and every script)`],
      ['Order', `the same order of trials: seed ${seed}`],
      ['Versions', `pgduet ${toolVersion}${versions.length > 0 ? `, PostgreSQL ${versions.join(' and ')}` : ''}`],
      [
        'Verify',
        endedAt === null
          ? 'npx pgduet verify ./ (it checks the trials; this run has no SHA256SUMS, since it did not end in order)'
          : 'npx pgduet verify ./ (it compares every file with SHA256SUMS, and computes the answer again from the trials)',
      ],
    ],
  };
}
