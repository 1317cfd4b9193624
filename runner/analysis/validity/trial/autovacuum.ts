import { notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { withNoun } from '../../../contract/with-noun.ts';

/** Whether autovacuum worked during the trial. */
export const autovacuum: TrialCheck = ({ measures }) => {
  const name = 'autovacuum';
  const { 'database.autovacuums': vacuums = null, 'database.autoanalyzes': analyzes = null } = measures;
  if (vacuums === null) return notAssessed(name, 'its runs were not counted');
  const runs = vacuums + (analyzes ?? 0);
  return runs > 0
    ? warn(name, `vacuumed or analyzed ${withNoun(runs, 'table')} in the trial`)
    : pass(name, 'none ended in the trial');
};
