import type { CheckDefinition } from './check.ts';

/** What a reader should know before relying on the answer, although no check says so. */
export type DoubtDefinition = Required<Pick<CheckDefinition, 'id' | 'name' | 'couldChange' | 'remedy'>>;

export const doubtDefinitions = {
  /** Each of its caveats says itself what it could change, and nothing that was measured says more about it. */
  place: {
    id: 'place',
    name: 'what this place cannot show',
    couldChange: 'answer',
    remedy: 'Measure at a place that can show it, such as on deployed instances.',
  },
  sharedServer: {
    id: 'shared-server',
    name: 'variants share one server',
    couldChange: 'size',
    remedy: 'Reset more before each trial (protocol.reset: restore, prewarm), or measure on a server for each variant.',
  },
  missingTrials: {
    id: 'missing-trials',
    name: 'planned trials without a result',
    couldChange: 'size',
    remedy: 'Continue the run with --resume, or rerun.',
  },
  unfinishedTrials: {
    id: 'unfinished-trials',
    name: 'trials that did not finish',
    couldChange: 'size',
    remedy: 'Fix what ended them, then rerun.',
  },
  unusedTrials: {
    id: 'unused-trials',
    name: 'finished trials that are excluded',
    couldChange: 'none',
    remedy: 'See why their blocks are lost, repeated or incomplete. The estimate does not use them.',
  },
  runWarning: {
    id: 'warning-of-the-run',
    name: 'a warning of the run',
    couldChange: 'none',
    remedy: 'Decide whether it matters for your question. If it does, remove its cause, then rerun.',
  },
  trialWarning: {
    id: 'warning-of-a-trial',
    name: 'a warning of trials',
    couldChange: 'none',
    remedy: 'Decide whether it matters for your question. If it does, remove its cause, then rerun.',
  },
} satisfies Record<string, DoubtDefinition>;
