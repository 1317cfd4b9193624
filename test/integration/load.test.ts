import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, withConnection } from '../../runner/postgres/connect.ts';
import { readLoadMark, removeLoadMark, writeLoadMark } from '../../runner/postgres/load-mark.ts';
import { keepLoadedCopy, restoreLoadedCopy } from '../../runner/postgres/loaded-copy.ts';
import { demandCommand } from '../../runner/process/run-command.ts';
import { loadArguments, connectionArguments } from '../../runner/workloads/pgbench/arguments.ts';
import { missingFromLoad } from '../../runner/workloads/pgbench/missing-from-load.ts';
import { pgbenchSchema } from '../../runner/workloads/pgbench/schema.ts';
import { startTlsCluster, type TlsCluster } from '../helpers/servers/tls-cluster.ts';

const { signal } = new AbortController();
let cluster: TlsCluster;
beforeAll(async () => {
  cluster = await startTlsCluster();
});
afterAll(() => cluster.remove());
