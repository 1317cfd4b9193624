import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

type Answering = 'answers' | 'silent' | 'drips';

export interface MetadataService {
  /** Makes the SDK ask this service, and look nowhere else for credentials. */
  environment: Record<string, string>;
  /** How many requests have come so far. */
  asked(): number;
  /** How many connections to it are open. */
  connections(): Promise<number>;
  become(how: Answering): void;
}

export const madeUpKey = 'AKIAOFTHEROLE';

/** What version 2 of the metadata service of an instance says, by path. */
const answers: Record<string, string> = {
  '/latest/api/token': 'the-token',
  '/latest/meta-data/iam/security-credentials/': 'driver',
  '/latest/meta-data/iam/security-credentials/driver': JSON.stringify({
    Code: 'Success',
    Type: 'AWS-HMAC',
    AccessKeyId: madeUpKey,
    SecretAccessKey: 'made-up',
    Token: 'made-up',
    Expiration: new Date(Date.now() + 6 * 3600_000).toISOString(),
  }),
};

/**
 * The metadata service of an instance with a role, at a free port of this machine until the test ends.
 *
 * @param first how it meets its first requests, one after the other; all later ones it answers
 */
export async function metadataService(...first: Answering[]): Promise<MetadataService> {
  let asked = 0;
  let usually: Answering = 'answers';
  const server = createServer((request, response) => {
    const how = first[asked] ?? usually;
    asked += 1;
    if (how === 'drips') drip(response);
    if (how !== 'answers') return;
    const path = request.url ?? '';
    const isAllowed = request.method === 'PUT' || request.headers['x-aws-ec2-metadata-token'] === 'the-token';
    response.writeHead(isAllowed ? (path in answers ? 200 : 404) : 401).end(isAllowed ? answers[path] : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    environment: {
      AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_CONFIG_FILE: '/nonexistent',
      AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
      AWS_PROFILE: '',
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      AWS_WEB_IDENTITY_TOKEN_FILE: '',
      AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '',
      AWS_CONTAINER_CREDENTIALS_FULL_URI: '',
      AWS_EC2_METADATA_DISABLED: '',
      AWS_REGION: 'eu-central-1',
    },
    asked: () => asked,
    connections: () => promisify(server.getConnections.bind(server))(),
    become(how) {
      usually = how;
    },
  };
}

/** A byte every 50 ms, of an answer that never ends. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Length': 100_000 });
  const timer = setInterval(() => response.write('a'), 50);
  response.once('close', () => clearInterval(timer));
}
