import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  absentFromS3,
  type FakeAnswer,
  jsonAnswer,
  jsonError,
  s3Error,
  xmlAnswer,
} from '../../helpers/fakes/fake-aws.ts';

/** An object as it arrived. */
export interface StoredObject {
  body: Buffer;
  metadata: Record<string, string>;
}

/** Answers one call of a service: the action, and the body of the request. */
type Answer = (request: IncomingMessage, body: Buffer) => FakeAnswer;

/** Serves at a free port of this machine. */
export async function serve(answer: Answer): Promise<{ port: number; server: Server }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { status = 200, headers = {}, body = '' } = answer(request, Buffer.concat(chunks));
      response.writeHead(status, headers);
      response.end(request.method === 'HEAD' ? undefined : body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, server };
}

/** Who may ask a service. */
export class Permission {
  private denied = false;
  private refused = 0;

  /** How many requests were denied so far. */
  get met(): number {
    return this.refused;
  }

  set(state: 'allowed' | 'denied'): void {
    this.denied = state === 'denied';
  }

  /** For one request. */
  isDenied(): boolean {
    if (this.denied) this.refused += 1;
    return this.denied;
  }
}

/** A bucket in memory. */
export function bucketAnswer(objects: Map<string, StoredObject>, permission: Permission): Answer {
  return ({ method = 'GET', url = '', headers }, body) => {
    if (permission.isDenied()) return s3Error('AccessDenied', 'Access Denied', 403);
    // The first part of the path is the bucket.
    const key = decodeURIComponent(url.split('?')[0] ?? '')
      .split('/')
      .slice(2)
      .join('/');
    if (method === 'PUT') {
      const metadata = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-'));
      objects.set(key, { body, metadata: Object.fromEntries(metadata) as Record<string, string> });
      return {};
    }
    const object = objects.get(key);
    if (!object) return absentFromS3(objects.keys(), { method, path: url });
    return { headers: { 'content-length': String(object.body.length), ...object.metadata }, body: object.body };
  };
}

/** A secret with user and password. */
export function secretAnswer(secret: string, permission: Permission): Answer {
  return () =>
    permission.isDenied()
      ? jsonError('AccessDeniedException', 'not authorized to perform: secretsmanager:GetSecretValue')
      : jsonAnswer({ SecretString: secret });
}

/** RDS, CloudFormation and Systems Manager, which are asked for descriptions. */
export function descriptionAnswer(known: {
  instances: readonly Record<string, unknown>[];
  parameter: () => string;
}): Answer {
  const stack = {
    StackName: 'pgduet-tiny',
    StackStatus: 'CREATE_COMPLETE',
    CreationTime: new Date().toISOString(),
    RoleARN: 'arn:aws:iam::123456789012:role/cloudformation',
  };
  return ({ headers }, body) => {
    const target = headers['x-amz-target'];
    if (typeof target === 'string') {
      return target.startsWith('AmazonSSM.')
        ? jsonAnswer({ Parameter: { Value: known.parameter() } })
        : // The sources that are asked after a run.
          jsonError('AccessDeniedException', `not authorized to perform: ${target}`);
    }
    const input = new URLSearchParams(body.toString());
    const action = input.get('Action') ?? '';
    if (action === 'DescribeStacks') return xmlAnswer(action, { Stacks: [stack] });
    if (action !== 'DescribeDBInstances') return xmlAnswer(action, {});
    const identifier = input.get('DBInstanceIdentifier');
    return xmlAnswer(action, {
      DBInstances: known.instances.filter((one) => one['DBInstanceIdentifier'] === identifier),
    });
  };
}
