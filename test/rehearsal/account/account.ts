import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
} from 'node:fs';
import path from 'node:path';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { EC2Client } from '@aws-sdk/client-ec2';
import { RDSClient } from '@aws-sdk/client-rds';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import { type Authority, makeAuthority } from '../../helpers/servers/certificates.ts';
import { compiled } from '../../../lib/build-options.ts';
import { type CommandOptions, type CommandResult, runCommand } from '../../../runner/process/run-command.ts';

/** Folder of everything in the namespaces; namespace.sh makes it. */
export const scratch = '/mnt';
export const logs = '/mnt/logs';
export const hostsFile = '/mnt/hosts';
export const project = path.resolve(import.meta.dirname, '../../..');
export const emulatorPort = 5000;
const endpoint = `http://localhost:${emulatorPort}`;
const region = 'us-east-1';
const accountId = '123456789012';

/** Environment by which both the administrator's and the driver's programs find the emulator. */
export const whereAwsIs = { AWS_ENDPOINT_URL: endpoint };

/** One request that the emulator has received. */
export interface AnsweredRequest {
  principal: string;
  /** Of the credentials that signed it. */
  keyId: string;
  /** Action such as `rds:DescribeDBInstances`. */
  action: string;
  resource: string;
  allowed: boolean;
}

/** The emulated AWS account, as its administrator sees it. */
export interface Account {
  cloudFormation: CloudFormationClient;
  rds: RDSClient;
  ec2: EC2Client;
  s3: S3Client;
  ssm: SSMClient;
  secrets: SecretsManagerClient;
  /** Scratch space. The emulator and the machines also use it to tell each other of a shutdown. */
  folder: string;
  /** Authority that signs the certificates of its databases. */
  authority: Authority;
  /** Does what AWS never offers: makes a fault, or looks at everything. */
  control<Answer>(what: string, body?: object, method?: 'GET' | 'POST' | 'PUT'): Promise<Answer>;
  requests(): AnsweredRequest[];
  /** Runs the pinned CDK command line. Its output also goes to a log with this name. */
  cdk(log: string, args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Runs pgduet as its user does. */
  pgduet(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  aws(args: readonly string[]): Promise<CommandResult>;
  /** Adds names that the namespace resolves. */
  addHosts(address: string, names: readonly string[]): void;
  close(): Promise<void>;
}

export const emulatorFolder = process.env['REHEARSE_EMULATOR'] ?? '';

/** Opens an account with nothing in it. */
export async function openAccount(): Promise<Account> {
  if (emulatorFolder === '') throw new Error('Start the rehearsal by `npm run rehearse`.');
  const folder = mkdtempSync(path.join(scratch, 'account-'));
  chmodSync(folder, 0o755);
  const authority = await makeAuthority(path.join(folder, 'authority'));
  // A user does the same for a Region whose authority the project does not have: the certificate becomes part of the
  // driver's assets.
  mkdirSync(path.join(project, 'certificates'), { recursive: true });
  copyFileSync(authority.certificate, path.join(project, 'certificates/rehearsal.pem'));
  const credentials = { accessKeyId: 'AKIAREHEARSAL2000000', secretAccessKey: 'rehearsal-only' };
  const environment = {
    ...process.env,
    ...whereAwsIs,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    NO_COLOR: '1',
  };
  const client = { endpoint, region, credentials };
  const stop = await startEmulator(folder);
  const run = (command: readonly string[], options: CommandOptions = {}): Promise<CommandResult> =>
    runCommand(command, { cwd: project, environment, ...options });
  return {
    cloudFormation: new CloudFormationClient(client),
    rds: new RDSClient(client),
    ec2: new EC2Client(client),
    s3: new S3Client(client),
    ssm: new SSMClient(client),
    secrets: new SecretsManagerClient(client),
    folder,
    authority,
    async control<Answer>(what: string, body?: object, method: string = body ? 'POST' : 'GET') {
      const answer = await fetch(`${endpoint}/rehearsal/${what}`, {
        method,
        ...(body ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } } : {}),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${what}: ${answer.status}: ${text}`);
      return JSON.parse(text === '' ? 'null' : text) as Answer;
    },
    requests: () =>
      readFileSync(path.join(folder, 'requests.jsonl'), 'utf8')
        .split('\n')
        // What follows the last line feed is being written.
        .slice(0, -1)
        .map((line) => JSON.parse(line) as AnsweredRequest),
    async cdk(log, args, options = {}) {
      const file = path.join(logs, `${log}.log`);
      const keep = (line: string): void => appendFileSync(file, `${line}\n`);
      const quiet = ['--no-notices', '--no-version-reporting', '--ci'];
      const app = args.includes('--app') ? [] : ['--app', `node ${path.join(compiled, 'app.mjs')}`];
      const program = [process.execPath, path.join(project, 'node_modules/aws-cdk/bin/cdk'), ...args, ...app, ...quiet];
      return run(program, { onStdoutLine: keep, onStderrLine: keep, ...options });
    },
    pgduet: (args, options) => run([process.execPath, path.join(project, compiled, 'pgduet.mjs'), ...args], options),
    // Version 1 sends requests about RDS to AWS itself, whatever AWS_ENDPOINT_URL says.
    aws: (args) => run([path.join(emulatorFolder, 'bin/aws'), ...args, '--endpoint-url', endpoint]),
    addHosts: (address, names) => appendFileSync(hostsFile, names.map((name) => `${address} ${name}\n`).join('')),
    close: stop,
  };
}

async function startEmulator(folder: string): Promise<() => Promise<void>> {
  const log = createWriteStream(path.join(logs, 'emulator.log'), { flags: 'a' });
  const python = path.join(emulatorFolder, 'bin/python');
  const account = ['-P', '-m', 'account', '--port', `${emulatorPort}`, '--folder', folder];
  const child = spawn(python, account, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.pipe(log);
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The emulator ended with ${code ?? 'a signal'}: see emulator.log.`)));
    child.stdout.on('data', (text: Buffer) => {
      log.write(text);
      if (text.toString().includes('ready')) resolve();
    });
  });
  return async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
}

/** Name of the bucket in which a bootstrapped account keeps assets. */
export const assetBucket = `cdk-hnb659fds-assets-${accountId}-${region}`;
