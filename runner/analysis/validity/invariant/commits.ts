import { fail, notAssessed, pass, type TrialCheck } from '../check.ts';

/** Commits that a visit of autovacuum to one table makes, with its analyze, its TOAST table and its own bookkeeping. */
const commitsPerVacuum = 6;
/** Connections of the load that prepare it, and catalogs that autovacuum visits uncounted. */
const fixedAllowance = 20;
/** Monitoring by whoever runs the server, and autovacuum's workers, which look at every database every 15 s on RDS. */
const allowedPerSecond = 1;
/** Work of others below this share changes no answer. */
const allowedShare = 0.001;

/**
 * Whether the server committed what the run did, and nothing else of note. Fewer commits mean that the run counts
 * transactions that never were. More mean that somebody else worked on the database. The counters are read after the
 * sessions of the load have ended, so they include all of its commits.
 */
export const commits: TrialCheck = {
  id: 'commits',
  name: 'foreign commits',
  remedy: 'Keep other clients off the database, then rerun.',
  judge: ({ measures, facts }, { shape }) => {
    const { 'database.commits': counted = null, 'load.commits': own = null, 'collect.commits': ours = null } = measures;
    if (counted === null) return notAssessed('the server’s commits were not counted');
    if (own === null) return notAssessed('commits per transaction are unknown for this load');
    const { 'database.autovacuums': vacuumed = null, 'database.autoanalyzes': analyzed = null } = measures;
    const vacuums = (vacuumed ?? 0) + (analyzed ?? 0);
    // A session that a pooler takes back is reset, which commits, too.
    const resets = typeof measures['pooler.size'] === 'number' ? shape.clients : 0;
    const connections = shape.clients + resets + (ours ?? 0);
    const explained = own + connections + commitsPerVacuum * vacuums;
    const seconds = measures['load.seconds'] ?? shape.durationSeconds ?? 0;
    const allowed = Math.ceil(fixedAllowance + allowedPerSecond * seconds + allowedShare * own);
    const words = `the server counted ${say(counted)} commits, the run ${say(own)}`;
    if (counted < own) return fail(`${words}: the run reports commits that the server never made`);
    if (counted <= explained + allowed) return pass(`${words}; the rest is explained`);
    // Each of them commits while it starts, and no server before 18 counts how many it starts.
    if ((measures['waits.workers'] ?? 0) > 0) return notAssessed(`${words}; parallel workers commit, too`);
    if (vacuumed === null || analyzed === null)
      return notAssessed(`${words}; the number of autovacuum commits is unknown`);
    const others = facts.otherSessions ?? [];
    return fail(
      `${words}; pgduet, the load’s connections and autovacuum explain at most ${say(connections + commitsPerVacuum * vacuums + allowed)} more: another client used the database${others.length > 0 ? ` (seen: ${others.join('; ')})` : ''}`,
      'other-sessions',
    );
  },
};

function say(count: number): string {
  return count.toLocaleString('en');
}
