import { Readable } from 'node:stream';

/** One request as the SDK would have sent it, in the terms of its protocol. */
export interface FakeRequest {
  /** Action such as `DescribeDBInstances`; for S3 `PUT /bucket/key`. */
  action: string;
  /** Parameters of the query protocol, or the fields of a JSON body. */
  input: Record<string, unknown>;
  method: string;
  host: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Options for a client in tests: made-up credentials, and a handler in place of the network. */
export interface FakeAws {
  options: {
    region: string;
    credentials: { accessKeyId: string; secretAccessKey: string };
    requestHandler: { handle(request: unknown): Promise<{ response: unknown }> };
    maxAttempts: number;
  };
  requests: FakeRequest[];
}

/**
 * Answers a real client of the AWS SDK below its retries, serialisers and parsers: it replaces nothing but the network. The
 * maintained mocks replace `send` itself, so they could not show what a throttled call does.
 */
export function fakeAws(answer: (request: FakeRequest) => FakeAnswer, maxAttempts = 2): FakeAws {
  const requests: FakeRequest[] = [];
  return {
    requests,
    options: {
      region: 'us-east-1',
      credentials: { accessKeyId: 'AKIAMADEUP', secretAccessKey: 'made-up' },
      maxAttempts,
      requestHandler: {
        async handle(sent) {
          const request = await readRequest(sent as SentRequest);
          requests.push(request);
          const { status = 200, headers = {}, body = '' } = answer(request);
          return { response: { statusCode: status, headers, body: Readable.from([Buffer.from(body)]) } };
        },
      },
    },
  };
}

interface SentRequest {
  method: string;
  hostname: string;
  path: string;
  headers: Record<string, string>;
  query?: Record<string, string | string[] | null>;
  body?: string | Uint8Array | Readable;
}

async function readRequest(sent: SentRequest): Promise<FakeRequest> {
  const { method, hostname: host, headers } = sent;
  const query = new URLSearchParams(
    Object.entries(sent.query ?? {}).map(([name, value]): [string, string] => [name, String(value ?? '')]),
  ).toString();
  const path = query === '' ? sent.path : `${sent.path}?${query}`;
  const body = await readBody(sent.body);
  const target = headers['x-amz-target'];
  if (target !== undefined) {
    const input = JSON.parse(body.toString()) as Record<string, unknown>;
    return { action: target.split('.').at(-1) ?? '', input, method, host, path, headers, body };
  }
  const parameters = new URLSearchParams(body.toString());
  const action = parameters.get('Action');
  if (headers['content-type'] === 'application/x-www-form-urlencoded' && action !== null) {
    return { action, input: Object.fromEntries(parameters), method, host, path, headers, body };
  }
  return { action: `${method} ${path}`, input: {}, method, host, path, headers, body };
}

async function readBody(body: SentRequest['body']): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0);
  if (!(body instanceof Readable)) return Buffer.from(body);
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

/** An answer in the query protocol, which RDS uses. */
export function xmlAnswer(action: string, result: object): FakeAnswer {
  return {
    headers: { 'content-type': 'text/xml' },
    body: `<${action}Response xmlns="http://rds.amazonaws.com/doc/2014-10-31/"><${action}Result>${toXml(result)}</${action}Result><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></${action}Response>`,
  };
}

export function xmlError(code: string, message: string, status = 400): FakeAnswer {
  const type = status < 500 ? 'Sender' : 'Receiver';
  return {
    status,
    headers: { 'content-type': 'text/xml' },
    body: `<ErrorResponse xmlns="http://rds.amazonaws.com/doc/2014-10-31/"><Error><Type>${type}</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
  };
}

/** An error as S3 answers it. */
export function s3Error(code: string, message: string, status: number): FakeAnswer {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  };
}

/**
 * What S3 answers to a role that may read and list a part of a bucket, where there is no such object: a list of that part, and
 * else 403, since the role must not learn what the rest of the bucket does not have.
 */
export function absentFromS3(
  keys: Iterable<string>,
  { method, path }: Pick<FakeRequest, 'method' | 'path'>,
): FakeAnswer {
  const prefix = new URLSearchParams(path.split('?')[1]).get('prefix');
  if (prefix === null) return method === 'HEAD' ? { status: 403 } : s3Error('AccessDenied', 'Access Denied', 403);
  const contents = [...keys]
    .filter((key) => key.startsWith(prefix))
    .map((key) => `<Contents><Key>${key}</Key></Contents>`);
  const body = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>${contents.join('')}</ListBucketResult>`;
  return { headers: { 'content-type': 'application/xml' }, body };
}

/** An answer of a service with a JSON protocol. */
export function jsonAnswer(value: object): FakeAnswer {
  return { headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify(value) };
}

export function jsonError(code: string, message: string, status = 400): FakeAnswer {
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.1' },
    body: JSON.stringify({ __type: code, message }),
  };
}

/** Names of list items that are not called `member`. */
const itemNames: Record<string, string> = {
  Parameters: 'Parameter',
  DBInstances: 'DBInstance',
  DBSnapshots: 'DBSnapshot',
  DescribeDBLogFiles: 'DescribeDBLogFilesDetails',
  Events: 'Event',
  EventCategories: 'EventCategory',
  DBClusters: 'DBCluster',
  DBEngineVersions: 'DBEngineVersion',
  DBClusterMembers: 'DBClusterMember',
  DBParameterGroups: 'DBParameterGroup',
  OrderableDBInstanceOptions: 'OrderableDBInstanceOption',
  AvailabilityZones: 'AvailabilityZone',
  AccountQuotas: 'AccountQuota',
};

function toXml(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return Object.entries(value)
    .map(([name, content]: [string, unknown]) => {
      const item = itemNames[name] ?? 'member';
      const inner = Array.isArray(content)
        ? content.map((one) => `<${item}>${toXml(one)}</${item}>`).join('')
        : toXml(content);
      return `<${name}>${inner}</${name}>`;
    })
    .join('');
}
