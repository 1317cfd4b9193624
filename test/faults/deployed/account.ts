import { readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import type { Binding } from '../../../runner/rds/contract/binding.ts';
import { withConnection } from '../../../runner/postgres/connect.ts';
import { boundInstance, rdsInstance, sampleBinding } from '../../helpers/fakes/fake-rds.ts';
import { startTlsCluster, type TlsCluster } from '../../helpers/servers/tls-cluster.ts';
import { Gate } from './gate.ts';
import { bucketAnswer, descriptionAnswer, Permission, secretAnswer, serve, type StoredObject } from './services.ts';

export const variants = ['one', 'two'] as const;
const experimentFile = 'tiny.yaml';

/**
 * What a driver finds in its account: two servers with TLS, a bucket, a secret, and descriptions of all of it, each behind a
 * gate of its own. It serves one run after another.
 */
export class Account {
  readonly objects = new Map<string, StoredObject>();
  readonly gates: { servers: readonly Gate[]; s3: Gate; secrets: Gate; descriptions: Gate };
  readonly version: string;
  readonly programs: string;
  readonly permissions: { s3: Permission; secrets: Permission };
  readonly binding: Binding;
  private readonly authorities: string;
  private readonly clusters: readonly TlsCluster[];
  private readonly services: readonly Server[];

  private constructor(made: {
    gates: Account['gates'];
    clusters: readonly TlsCluster[];
    services: readonly Server[];
    binding: Binding;
    authorities: string;
    shared: Pick<Account, 'objects' | 'permissions'>;
  }) {
    this.gates = made.gates;
    this.clusters = made.clusters;
    this.services = made.services;
    this.binding = made.binding;
    this.authorities = made.authorities;
    this.objects = made.shared.objects;
    this.permissions = made.shared.permissions;
    this.version = made.clusters[0]?.version ?? '';
    this.programs = made.clusters[0]?.programs ?? '';
  }

  static async open(): Promise<Account> {
    const first = await startTlsCluster();
    const second = await startTlsCluster();
    const clusters = [first, second];
    // One secret, and one file of authorities, are for all servers of a stack.
    await withConnection(second.target, (client) =>
      client.query(`ALTER ROLE ${first.target.user} PASSWORD '${first.password}'`),
    );
    const authorities = path.join(first.folder, 'authorities.pem');
    writeFileSync(authorities, clusters.map(({ authority }) => readFileSync(authority, 'utf8')).join(''));
    const servers = [await Gate.before(first.target.port), await Gate.before(second.target.port)];
    const instances = variants.map((variant, index) =>
      rdsInstance({
        DBInstanceIdentifier: variant,
        DbiResourceId: `db-${variant}`,
        EngineVersion: first.version,
        Endpoint: { Address: 'localhost', Port: servers[index]?.port },
      }),
    );
    const bound = (identifier: string) => ({ ...boundInstance({ engineVersion: first.version }), identifier });
    const binding = {
      ...sampleBinding(Object.fromEntries(variants.map((variant) => [variant, bound(variant)]))),
      experiment: { name: 'tiny', profile: 'full', file: experimentFile },
    };
    const shared = {
      objects: new Map<string, StoredObject>(),
      permissions: { s3: new Permission(), secrets: new Permission() },
    };
    const secret = JSON.stringify({ username: first.target.user, password: first.password });
    const [s3, secrets, descriptions] = await Promise.all([
      serve(bucketAnswer(shared.objects, shared.permissions.s3)),
      serve(secretAnswer(secret, shared.permissions.secrets)),
      serve(descriptionAnswer({ instances, parameter: () => JSON.stringify(binding) })),
    ]);
    const gates = {
      servers,
      s3: await Gate.before(s3.port),
      secrets: await Gate.before(secrets.port),
      descriptions: await Gate.before(descriptions.port),
    };
    const services = [s3, secrets, descriptions].map(({ server }) => server);
    return new Account({ gates, clusters, services, binding, authorities, shared });
  }

  /** Where the clients of AWS and of PostgreSQL find all of this. */
  environment(): Record<string, string> {
    const at = ({ port }: Gate): string => `http://127.0.0.1:${port}`;
    const { s3, secrets, descriptions } = this.gates;
    return {
      AWS_ACCESS_KEY_ID: 'AKIAMADEUP',
      AWS_SECRET_ACCESS_KEY: 'made-up',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: at(descriptions),
      AWS_ENDPOINT_URL_S3: at(s3),
      AWS_ENDPOINT_URL_SECRETS_MANAGER: at(secrets),
      PGSSLROOTCERT: this.authorities,
      PGDUET_PG_BINDIR: this.programs,
    };
  }

  /** Nothing is disturbed any more. */
  restore(): void {
    const { servers, ...others } = this.gates;
    for (const gate of [...servers, ...Object.values(others)]) gate.set('open');
    for (const permission of Object.values(this.permissions)) permission.set('allowed');
  }

  async close(): Promise<void> {
    const { servers, ...others } = this.gates;
    for (const gate of [...servers, ...Object.values(others)]) gate.close();
    for (const server of this.services) server.close();
    for (const cluster of this.clusters) await cluster.remove();
  }
}
