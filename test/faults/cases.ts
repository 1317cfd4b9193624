import type { FailureCode } from '../../runner/contract/failures.ts';

/** What a run goes through, in order. `upload` is only there on a driver. */
export const phases = ['create', 'load', 'warm-up', 'measure', 'collect', 'upload', 'clean'] as const;
export type Phase = (typeof phases)[number];

export type Place = 'folders' | 'limited' | 'deployed';
export type Kind = 'STOP' | 'KILL' | 'refuse' | 'slow' | 'drip' | 'full' | 'vanish' | 'swap';
export type Target =
  'server' | 'pgbench' | 'storage daemon' | 'nbdfuse' | 'runner' | 'driver' | 'S3' | 'Secrets Manager';

/** One way to disturb a run. */
export interface Case {
  place: Place;
  target: Target;
  kind: Kind;
  phase: Phase;
}

interface Row {
  target: Target;
  places: readonly Place[];
  phases: readonly Phase[];
  /** What each kind of fault is here. */
  kinds: Partial<Record<Kind, string>>;
  /** What a trial may give as the reason that it did not finish; with `full`, also `causesOfFull`. */
  causes: readonly FailureCode[];
  /** Why other kinds and phases are left out. */
  leftOut?: string;
}

const onThisMachine = ['create', 'load', 'warm-up', 'measure', 'collect', 'clean'] as const;
const underLoad = ['load', 'warm-up', 'measure'] as const;
const signals = {
  STOP: 'SIGSTOP; it goes on after some seconds, or never, and then somebody presses Ctrl-C',
  KILL: 'SIGKILL',
  slow: 'stopped and continued five times a second, for four seconds',
};

/** Of a server that was hit, or whose connections were. */
const lostServer: readonly FailureCode[] = [
  'server-ended',
  'no-connection',
  'no-answer',
  'connection-lost',
  'server-error',
  'load-failed',
  'load-overdue',
  'no-transactions',
];
const brokenVolume: readonly FailureCode[] = [...lostServer, 'volume-failed', 'file-error'];
export const causesOfFull: readonly FailureCode[] = [...lostServer, 'disk-full', 'cut-off'];

/** Everything that can be hit, and how. */
export const rows: readonly Row[] = [
  {
    target: 'server',
    places: ['folders', 'limited'],
    phases: onThisMachine,
    kinds: {
      ...signals,
      refuse: 'it refuses every new connection',
      full: 'the disk of its data has no room left',
      vanish: 'every packet to and from it is dropped',
    },
    causes: lostServer,
  },
  {
    target: 'pgbench',
    places: ['folders'],
    phases: underLoad,
    kinds: { ...signals, full: 'the disk of its logs has no room left' },
    causes: ['load-failed'],
    leftOut: 'It runs in these phases only. It is a client: nobody connects to it, so it cannot refuse.',
  },
  {
    target: 'pgbench',
    places: ['folders'],
    phases: ['measure'],
    kinds: { vanish: 'its log of transactions is gone' },
    causes: ['load-failed'],
    leftOut: 'It has a log only while it measures.',
  },
  {
    target: 'storage daemon',
    places: ['limited'],
    phases: onThisMachine,
    kinds: {
      ...signals,
      refuse: 'its monitor is gone, so that nobody can set its limits',
      full: 'the disk of its image has no room left',
    },
    causes: brokenVolume,
    leftOut: 'It is reached by a Unix socket, which loses no packets.',
  },
  {
    target: 'nbdfuse',
    places: ['limited'],
    phases: onThisMachine,
    kinds: signals,
    causes: brokenVolume,
    leftOut: 'It keeps nothing, and only the kernel talks to it.',
  },
  {
    target: 'runner',
    places: ['folders', 'limited'],
    phases: onThisMachine,
    kinds: {
      ...signals,
      STOP: 'SIGSTOP; it goes on after some seconds',
      refuse: 'a second run is started on the same results: it must be refused',
      full: 'the disk of the results has no room left',
      vanish: 'its terminal is closed',
    },
    causes: ['cut-off'],
  },
  {
    target: 'runner',
    places: ['folders'],
    phases: ['load', 'warm-up', 'measure', 'collect', 'clean'],
    kinds: { swap: 'the folder of its run is moved, and another folder or a link takes its place' },
    causes: ['cut-off'],
    leftOut: 'It has no folder before its servers are there, and what they lie on makes no difference.',
  },
  {
    target: 'server',
    places: ['deployed'],
    phases: ['create', 'load', 'warm-up', 'measure', 'collect'],
    kinds: {
      STOP: 'it does not answer for some seconds',
      KILL: 'all of its connections break, and there are no new ones for some seconds, as in a failover',
      refuse: 'the same',
      slow: 'every packet to and from it is half a second late',
      vanish: 'no packet passes for some seconds',
    },
    causes: lostServer,
    leftOut: 'Its disk is not the driver’s.',
  },
  {
    target: 'driver',
    places: ['deployed'],
    phases,
    kinds: {
      STOP: 'it stands still for some seconds',
      KILL: 'its power goes, with what its disk was not told to flush; then systemd starts the run again',
      slow: 'its network is slow',
      full: 'the disk of its results has no room left',
      vanish: 'its network is gone for some seconds',
    },
    causes: ['cut-off', ...lostServer],
    leftOut: 'Nobody connects to it.',
  },
  {
    target: 'S3',
    places: ['deployed'],
    phases,
    kinds: {
      STOP: 'it does not answer for some seconds',
      KILL: 'its connections break, and there are no new ones for some seconds',
      refuse: 'it denies every request for some seconds',
      slow: 'every packet to and from it is half a second late',
      drip: 'of its answers, a byte comes every five seconds',
      vanish: 'no packet passes for some seconds',
    },
    causes: [],
    leftOut: 'It is never full.',
  },
  {
    target: 'Secrets Manager',
    places: ['deployed'],
    phases: ['create'],
    kinds: {
      STOP: 'it does not answer for some seconds',
      KILL: 'its connections break, and there are no new ones for some seconds',
      refuse: 'it denies every request for some seconds',
      slow: 'every packet to and from it is half a second late',
      vanish: 'no packet passes for some seconds',
    },
    causes: [],
    leftOut: 'It is asked once, at the beginning.',
  },
];

export const allCases: readonly Case[] = rows.flatMap(({ target, places, phases, kinds }) =>
  places.flatMap((place) =>
    phases.flatMap((phase) => (Object.keys(kinds) as Kind[]).map((kind) => ({ place, target, kind, phase }))),
  ),
);
