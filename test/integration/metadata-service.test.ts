import { expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { commandLine } from '../helpers/processes/command-line.ts';
import { metadataService } from '../helpers/servers/metadata-service.ts';

it('a command ends within five seconds after Ctrl-C while the metadata service answers by the byte', async () => {
  const service = await metadataService();
  service.become('drips');
  const folder = temporaryFolder();
  const command = commandLine(['report', 's3://results/dlv/alice/'], {
    ...{ cwd: folder, temporary: folder },
    environment: service.environment,
  });
  await expect.poll(() => service.asked(), { timeout: 60_000 }).toBeGreaterThan(0);
  const startedAt = performance.now();
  command.process.kill('SIGINT');
  const { exitCode } = await command.ended;
  expect((performance.now() - startedAt) / 1000).toBeLessThan(5);
  expect(exitCode).toBe(130);
});
