/**
 * What must hold of an experiment beyond the form of its file, by the id of the rule, with what to do if it does not. A
 * problem names the rule that it breaks in `rule`, and has the values; `pgduet explain` shows these words.
 */
export const problemRules = {
  'build-users': ['at most one user builds each warehouse', 'Lower `load.buildUsers`, or raise `warehouses`.'],
  'cluster-class': [
    'a Multi-AZ cluster needs local NVMe disks',
    'Choose a class with a `d` in its family, such as db.m6gd.large.',
  ],
  'cluster-gp3': ['a Multi-AZ cluster has no small gp3', 'Raise `storage.sizeGib`, or choose io1 or io2.'],
  'cluster-iops': [
    'a Multi-AZ cluster has 0.5 to 50 IOPS per GiB',
    'Change `storage.iops` or `storage.sizeGib` as the message says.',
  ],
  'cluster-iops-missing': ['a Multi-AZ cluster names its IOPS', 'Add `storage.iops`.'],
  'cluster-log-volume': [
    'a Multi-AZ cluster has no dedicated log volume',
    'Set `deployment` to single-az or multi-az-instance, or remove the log volume.',
  ],
  'cluster-proxy': [
    'a Multi-AZ cluster has no RDS Proxy here',
    'Set `deployment` to single-az or multi-az-instance, or remove `pooler`.',
  ],
  'cluster-throughput': [
    'the throughput of a Multi-AZ cluster follows from its IOPS',
    'Remove `storage.throughputMibps`.',
  ],
  connections: [
    'servers allow enough connections',
    'Raise max_connections in `engine.parameters`, or use fewer clients.',
  ],
  'crossover-blocks': [
    'each period of a crossover has as many blocks',
    'Change `protocol.blocks` to the multiple that the message names.',
  ],
  'crossover-place': ['a crossover needs RDS', 'Remove `protocol.crossover`, or deploy to RDS.'],
  'crossover-until': ['a crossover does not stop early', 'Remove `protocol.until`, or the crossover.'],
  'crossover-variants': [
    'a crossover has two variants that differ only in the log volume',
    'Keep two variants that differ only in the log volume, or remove `protocol.crossover`.',
  ],
  'deciding-script': ['decision.script is a script of the workload', 'Name one of the workload’s scripts.'],
  'deploy-needs': ['a deploy names class and version', 'Add `class` and `engine.version` to the variant.'],
  'driver-download': ['the driver can download what it needs', 'Choose a `network.mode` with access to the download.'],
  'dump-file': ['load.dump is a dump that pgduet can restore', 'Name a dump that pg_dump made, or create it again.'],
  'endless-tries': [
    'unlimited tries need a time limit',
    'Set a number of tries, `durationSeconds` or `latencyLimitMs`.',
  ],
  'first-look': [
    'until has blocks for its first look',
    'Raise `protocol.blocks` to the number that the message names.',
  ],
  'futility-until': [
    'stopForFutility requires until: verdict',
    'Set `protocol.until: verdict`, or remove `stopForFutility`.',
  ],
  'gp3-iops-fixed': ['small gp3 has fixed IOPS', 'Remove `storage.iops`, or raise `storage.sizeGib`.'],
  'gp3-throughput-fixed': [
    'small gp3 has a fixed throughput',
    'Remove `storage.throughputMibps`, or raise `storage.sizeGib`.',
  ],
  'hammerdb-archive': [
    'archive is a release of HammerDB for Linux',
    'Name an archive of a HammerDB release for Linux.',
  ],
  'instance-class': ['the instance class exists in AWS', 'Name an existing class.'],
  'iops-per-gib': [
    'RDS offers the IOPS for the size',
    'Change `storage.iops` or `storage.sizeGib` as the message says.',
  ],
  'keep-restored': ['restored data is not saved again', 'Remove `data.keep`, or load the data.'],
  'knee-blocks': [
    'stopPastKneeAfter is less than the number of blocks',
    'Lower `stopPastKneeAfter`, or raise `protocol.blocks`.',
  ],
  'knee-until': ['stopPastKneeAfter needs until: blocks', 'Remove `protocol.until` or `stopPastKneeAfter`.'],
  'listed-twice': ['a list has each value once', 'Remove the second one.'],
  'load-files': ['own data comes from SQL files or a dump', 'Name them in `load.sql` or `load.dump`.'],
  'local-deployment': [
    'servers on this machine are single-az',
    'Remove `deployment`. For synchronous standbys on this machine, use `storage.standbys`.',
  ],
  'log-volume-limit': ['beside a limited data volume, the log volume has a limit, too', 'Set `storage.logVolumeIops`.'],
  'log-volume-storage': ['a dedicated log volume needs io1 or io2', 'Choose io1 or io2, or remove the log volume.'],
  'log-volume-version': [
    'a dedicated log volume needs a version that supports it',
    'Set `engine.version` to one that supports it, or remove the log volume.',
  ],
  'matrix-size': ['a matrix makes no more variants than allowed', 'Use fewer values or keys in `matrix`.'],
  'measurable-version': [
    'pgduet can measure the version of PostgreSQL',
    'Choose one of the versions that the message names.',
  ],
  'metric-collected': [
    'the collector of the deciding metric is on',
    'Add the collector to `collect`, or choose another metric.',
  ],
  'metric-tool': [
    'the tool of the workload measures the deciding metric',
    'Choose a metric that the tool measures, or another tool.',
  ],
  'metric-workload': [
    'the workload has the deciding metric',
    'Choose a metric of the workload, or change the workload.',
  ],
  'minor-version': ['a deploy names the minor version', 'Write it in `engine.version`, such as "16.15".'],
  'named-file': ['the files of the workload can be read', 'Correct the path or the file.'],
  'not-deployable': ['RDS offers it', 'Change it, or measure at another place.'],
  'one-level': ['keys of a ladder need a list of loads', 'Write a list, such as `clients: [8, 16, 32]`.'],
  'one-place': ['all variants are in one place', 'Put all variants in one place.'],
  'one-script': ['decision.script needs several scripts', 'Remove `decision.script`, or add scripts.'],
  parameter: ['the server accepts the parameter and its value', 'Correct the name or the value of the parameter.'],
  'parameter-start': ['the server starts with its parameters', 'Correct the parameter that the message names.'],
  'pooler-place': [
    'the variant’s place offers its pooler',
    'Set `pooler.mode` to one that the message names, or remove `pooler`.',
  ],
  'pooler-session': [
    'in session mode, a pool has a session for each client',
    'Raise `pooler.poolSize`, use fewer clients, or set `pooler.mode` to transaction.',
  ],
  'precision-until': ['precision requires until: precision', 'Set `protocol.until: precision`, or remove `precision`.'],
  'prepare-folder': [
    'the folders of `prepare` contain SQL files',
    'Correct the path, or put files NAME.sql without blanks in their names into the folder.',
  ],
  'prepare-restored': [
    'variants restored from a snapshot have the same data',
    'Remove `prepare`, or `data.keep` and `data.snapshot`.',
  ],
  'prepare-sql': [
    'each element of prepare is one SQL statement',
    'Write one statement per element, or remove `prepare`.',
  ],
  'proxy-pinning': [
    'RDS Proxy has a session for each client that prepares statements by SQL',
    'Raise `pooler.maxConnectionsPercent` or max_connections, or use fewer clients.',
  ],
  'ramp-up-minutes': ['HammerDB ramps up for whole minutes', 'Write 0 or a multiple of 60.'],
  'ramp-up-phase': ['HammerDB has no phases', 'Set `protocol.phaseSeconds` to 0.'],
  'ramp-up-start': [
    'all users can start during the ramp-up',
    'Raise the ramp-up to what the message names, or use fewer users.',
  ],
  'random-reason': ['a random ladder states no reason', 'Remove `reason`, or set `order: rising`.'],
  'replica-crossover': ['a crossover has no replicas', 'Set `protocol.replicas` to 1, or remove `protocol.crossover`.'],
  'replica-place': ['each replica needs its own host', 'Set `protocol.replicas` to 1, or deploy to RDS.'],
  'reset-database': [
    'the database postgres cannot be replaced',
    'Use own-reset with files in `load.reset`, or another database.',
  ],
  'reset-files': ['own-reset needs the files of load.reset', 'Add `load.reset`, or remove own-reset.'],
  'reset-seconds': [
    'load.expectedResetSeconds requires load.reset',
    'Add `load.reset`, or remove `load.expectedResetSeconds`.',
  ],
  'reset-step': ['the tool supports the reset steps', 'Choose from the steps that the message names.'],
  'rising-order': ['the loads of a rising ladder rise', 'Sort the loads from low to high.'],
  'rising-reason': ['a rising ladder states its reason', 'State in `reason` why the levels must rise.'],
  'same-variant': ['an extra comparison has two variants', 'Name two different variants.'],
  script: ['pgbench accepts the script', 'Correct the script at the line that the message names.'],
  'script-by-variant': [
    'scripts of a variant are of the kind that its tool runs',
    'Remove `scripts` of the variant, or write them as `workload.scripts` of this tool.',
  ],
  'script-metric': [
    'the deciding metric is measured for each script',
    'Choose a metric that is measured for each script, or remove `decision.script`.',
  ],
  'script-names': ['each script of a workload has its own name', 'Rename one of the scripts.'],
  'script-scale': [
    'scripts use the scale of the tables',
    'Remove `variables.scale`: scripts use the scale of the tables.',
  ],
  'server-as-it-is': ['an existing server stays as it is', 'Remove what would change the server.'],
  'server-or-storage': ['a variant names either an existing server or its storage', 'Remove `server` or `storage`.'],
  'server-service': ['an existing server is named by its service', 'Write the name of a service of libpq.'],
  'server-together': [
    'databases of one server are measured one after another',
    'Set `protocol.order` to random, or name a server for each variant.',
  ],
  'server-twice': [
    'variants on one server differ in `prepare`, `scripts` or session settings',
    'Let them differ in `prepare`, `scripts` or `engine.parameters`, or name another server.',
  ],
  'shared-buffers': [
    'shared_buffers fits into the memory of the class',
    'Lower shared_buffers, or choose a larger class.',
  ],
  'snapshot-arn': ['a snapshot for instances and clusters is named by its ARN', 'Write the ARN of the snapshot.'],
  'snapshot-place': ['only RDS restores a snapshot', 'Load the data from files, or deploy to RDS.'],
  'source-code': [
    'a source is either a git repository or a folder',
    'Name one of `git` and `path`, and a `commit` only with `git`.',
  ],
  'source-password': [
    'the address of a repository has no password',
    'Remove user and password from `git`; a credential helper of git can have them.',
  ],
  'source-place': [
    'pgduet builds only for servers that it makes on this machine',
    'Remove `engine.source` and `extension`, or measure on this machine (storage of type local).',
  ],
  'source-version': [
    'the version of a server that is built follows from its source',
    'Remove `engine.version` or `engine.source`.',
  ],
  'standby-limit': ['on a limited data volume, each standby has a limit, too', 'Limit each standby’s volume, too.'],
  'storage-range': ['RDS offers the IOPS and the throughput', 'Choose values within the range that the message names.'],
  'storage-room': ['the storage has room for data and WAL', 'Raise `storage.sizeGib`, or load less.'],
  'sysbench-tables': ['the script of sysbench reads all tables', 'Set `tables` to 1, or choose another script.'],
  threads: ['each thread has at least one client', 'Lower `threads`, or use more clients.'],
  'threshold-of-difference': ['a metric compared by difference has a threshold', 'Set `decision.practicalThreshold`.'],
  'trial-length': ['transactions or durationSeconds end a trial', 'Add `durationSeconds` or `transactions`.'],
  'trial-length-twice': ['transactions and durationSeconds exclude each other', 'Remove one of them.'],
  'two-snapshots': ['one snapshot restores the data', 'Name one snapshot.'],
  'variant-name': ['baseline and contrasts name variants', 'Name one of the variants.'],
} as const satisfies Record<string, readonly [rule: string, remedy: string]>;

export type RuleId = keyof typeof problemRules;
