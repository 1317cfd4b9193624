import { expect, it } from 'vitest';
import { pauseSeconds } from '../../runner/run/time-limit.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { commandLine } from '../helpers/processes/command-line.ts';
import { metadataService } from '../helpers/servers/metadata-service.ts';

it('a command ends after Ctrl-C while the metadata service answers by the byte', async () => {
  const service = await metadataService();
  service.become('drips');
  const folder = temporaryFolder();
  const command = commandLine(['report', 's3://results/dlv/alice/'], {
    cwd: folder,
    temporary: folder,
    environment: service.environment,
  });
  await expect.poll(() => service.asked(), { timeout: 60_000 }).toBeGreaterThan(0);
  const startedAt = performance.now();
  command.process.kill('SIGINT');
  const { exitCode } = await command.ended;
  expect((performance.now() - startedAt) / 1000).toBeLessThan(30);
  expect(exitCode).toBe(130);
});

it('a command that has ended, and is kept by something that it left open, hears a signal', async () => {
  const folder = temporaryFolder();
  const command = commandLine(['digest', 'nowhere'], {
    cwd: folder,
    temporary: folder,
    environment: { NODE_OPTIONS: '--import=data:text/javascript,setInterval(Object,1000)' },
  });
  await command.shown('nowhere');
  await pauseSeconds(0.2, new AbortController().signal);
  command.process.kill('SIGINT');
  await command.ended;
}, 20_000);
