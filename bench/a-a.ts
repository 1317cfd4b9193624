import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compiled, project } from '../lib/build-options.ts';
import { writeFileIn } from '../runner/files/write.ts';
import { format, resolveConfig } from 'prettier';
import { CommandError, runCommand } from '../runner/process/run-command.ts';
import { openFolder } from '../runner/analysis/open-result.ts';
import { describeSeries, repeatOf, type Series } from './a-a/series.ts';
import { replaceTables } from './document.ts';

const data = path.resolve(import.meta.dirname, '../docs/reference/a-a-series.json');
/**
 * The series of the earlier code, which did not yet restore tables, use the same transactions for both sides, or look
 * for neighbours.
 */
const before = path.resolve(import.meta.dirname, '../docs/reference/a-a-series-before.json');
const experiment = 'a-a';

/**
 * Repeats an experiment whose two variants are the same, each time with new servers, new volumes and a new order. Keeps
 * the outcomes in docs/reference/a-a-series.json. Each repeat is saved when it ends, so a series that was stopped continues from
 * there. Needs root and PostgreSQL, as `--volumes limited` does, and a quiet machine.
 *
 * @param wanted number of repeats in all, including those that are saved already; seeds are 1, 2, 3 ...
 */
export async function benchAA(wanted = '20'): Promise<void> {
  const repeats = Number(wanted);
  if (!Number.isInteger(repeats) || repeats < 1) throw new Error(`${wanted} is not a number of repeats`);
  for (let done = readSeries(data)?.repeats.length ?? 0; done < repeats; done++) await repeatOnce(done + 1);

  const series = readSeries(data);
  if (!series) throw new Error(`there is no ${data}`);
  const earlier = readSeries(before);
  const text = describeSeries([...(earlier ? [{ name: 'before', series: earlier }] : []), { name: 'now', series }]);
  await replaceTables('a-a.md', experiment, text);
  process.stdout.write(`${text}\n`);
}

async function repeatOnce(seed: number): Promise<void> {
  const out = mkdtempSync(path.join(tmpdir(), 'pgduet-a-a-'));
  try {
    const program = path.join(project, compiled, 'pgduet.mjs');
    const start = performance.now();
    const command = [process.execPath, program, 'load-run', experiment, '--local', '--volumes', 'limited'];
    const ended = await runCommand([...command, '--out', out, '--seed', String(seed)], {
      cwd: project,
      // Each repeat stands for the first start of its question.
      environment: { ...process.env, XDG_STATE_HOME: out },
    });
    // Exit code 1 means that a trial failed. The repeat still belongs to the series, with the blocks that are left.
    if (ended.exitCode !== 0 && ended.exitCode !== 1) throw new CommandError(['pgduet load-run', experiment], ended);
    const { result } = await openFolder(path.join(out, experiment, 'latest'));
    const repeat = repeatOf(result);
    const series = readSeries(data) ?? {
      kind: 'pgduet-a-a-series',
      toolVersion: result.toolVersion,
      place: result.place.description,
      repeats: [],
    };
    const text = JSON.stringify({ ...series, repeats: [...series.repeats, repeat] });
    await writeFileIn(
      path.dirname(data),
      path.basename(data),
      await format(text, { ...(await resolveConfig(data)), parser: 'json' }),
    );
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    process.stderr.write(`${seed}: ${JSON.stringify({ ...repeat, tps: repeat.tps.length })} in ${seconds} s\n`);
  } finally {
    rmSync(out, { recursive: true });
  }
}

function readSeries(file: string): Series | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Series) : null;
}
