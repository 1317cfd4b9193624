import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, it, onTestFinished } from 'vitest';
import { callAws, clientSettings } from '../../runner/aws/call.ts';
import { awsClients } from '../../runner/aws/clients.ts';
import { doctorClients } from '../../runner/probes/doctor/clients.ts';

it('a call that nobody answers is given up, as trouble that may pass', async () => {
  const silent = createServer((socket) => socket.resume().on('error', () => undefined)).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const client = new S3Client({
    ...clientSettings,
    ...{ maxAttempts: 2, requestHandler: { ...clientSettings.requestHandler, socketTimeout: 100 } },
    ...{ region: 'eu-central-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, forcePathStyle: true },
    endpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
  });
  onTestFinished(() => client.destroy());
  const asked = callAws('s3:GetObject', 's3://results/a', () =>
    client.send(new GetObjectCommand({ Bucket: 'results', Key: 'a' })),
  );
  await expect(asked).rejects.toMatchObject({
    message: expect.stringMatching(/^s3:GetObject of s3:\/\/results\/a did not get through \(TimeoutError/) as string,
    passing: true,
  });
});

interface HttpHandler {
  handle: (request: object) => Promise<unknown>;
  httpHandlerConfigs: () => object;
}

const clients = { ...awsClients('eu-central-1'), ...doctorClients('eu-central-1') };

it.each(Object.entries(clients))(
  'the client of %s waits neither for a connection nor an answer for ever',
  async (_, client) => {
    // The settings are read when they are needed for the first time.
    const requestHandler = client.config.requestHandler as HttpHandler;
    await requestHandler.handle({ protocol: 'data:' }).catch(() => undefined);
    expect(requestHandler.httpHandlerConfigs()).toMatchObject(clientSettings.requestHandler);
  },
);
