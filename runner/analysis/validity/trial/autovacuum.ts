import { notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { withNoun } from '../../../contract/format.ts';

/** Whether autovacuum worked during the trial. */
export const autovacuum: TrialCheck = {
  id: 'autovacuum',
  name: 'autovacuum',
  remedy: 'Measure more blocks, so that it falls on both sides alike.',
  judge: ({ measures }) => {
    const { 'database.autovacuums': vacuums = null, 'database.autoanalyzes': analyzes = null } = measures;
    if (vacuums === null) return notAssessed('autovacuum runs were not counted');
    const runs = vacuums + (analyzes ?? 0);
    return runs > 0
      ? warn(`vacuumed or analyzed ${withNoun(runs, 'table')} during the trial`)
      : pass('no run ended during the trial');
  },
};
