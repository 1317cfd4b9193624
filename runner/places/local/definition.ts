import { problemUnless } from '../../contract/check.ts';
import { withNoun } from '../../contract/format.ts';
import { hasLogVolume } from '../../contract/log-volume.ts';
import type { PlaceDefinition } from '../definition.ts';
import { localParameterProblem, numberOf, startProblems } from './parameters.ts';
import { isLocal, isLocalPooler, localPoolerSchema, localStorageSchema, localVolumes } from './schema.ts';

const measured = 'measured on two cores';

/** This machine: clusters on its disk, on volumes of limited IOPS if it can make them. */
export const local: PlaceDefinition = {
  kind: 'local',
  words: 'on this machine',
  storage: [localStorageSchema],
  isBilled: false,
  isDeployed: false,
  poolers: {
    schemas: [localPoolerSchema],
    words: (pooler) =>
      isLocalPooler(pooler) ? `PgBouncer, ${pooler.mode} mode, ${withNoun(pooler.poolSize, 'session')}` : pooler.mode,
    // In session mode, clients beyond the pool would wait until the others have ended: for all of a trial.
    problems: ({ pooler }, { clients }) =>
      pooler && isLocalPooler(pooler)
        ? problemUnless(
            'pooler-session',
            pooler.mode !== 'session' || pooler.poolSize >= clients,
            ['pooler', 'poolSize'],
            `is ${pooler.poolSize}, but in session mode each client keeps a session; expected at least ${withNoun(clients, 'client')}`,
          )
        : [],
  },
  buildsServers: true,
  isMadeByRun: true,
  sharesMachine: true,
  sampleSeconds: 0.1,
  speeds: {
    createSeconds: { value: 5, source: measured },
    // Nothing is restored here: the data is always loaded.
    restoreSeconds: { value: 5, source: measured },
    restartSeconds: { value: 2, source: measured },
  },
  problems(variant) {
    const { storage, engine, deployment } = variant;
    if (!storage || !isLocal(storage)) return [];
    const hasStandbys = (storage.standbys ?? 0) > 0;
    const isLimited = storage.iops !== undefined;
    return [
      ...problemUnless(
        'standby-limit',
        !hasStandbys || !isLimited || storage.standbyIops !== undefined,
        ['storage', 'standbyIops'],
        'missing: the data volume has a limit, so standbys need one, too; expected the IOPS of each standby’s volume',
        'missing',
      ),
      ...startProblems({ engine }, storage.standbys ?? 0),
      ...problemUnless(
        'log-volume-limit',
        !hasLogVolume(variant) || !isLimited || storage.logVolumeIops !== undefined,
        ['storage', 'logVolumeIops'],
        'missing: the data volume has a limit, so the log volume needs one, too; expected the IOPS of the log volume',
        'missing',
      ),
      ...problemUnless(
        'local-deployment',
        (deployment ?? 'single-az') === 'single-az',
        ['deployment'],
        'local storage supports single-az only. For synchronous standbys on this machine, use storage.standbys',
      ),
    ];
  },
  parameterProblem: localParameterProblem,
  connections: ({ engine }) => numberOf(engine?.parameters['max_connections'], undefined),
  volumes: localVolumes,
  opener: async () => (await import('./open.ts')).opener,
};
