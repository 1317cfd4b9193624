import { format, resolveConfig } from 'prettier';
import { optionsOfPgbench } from '../runner/workloads/pgbench/driver.ts';

const [begin, end] = ['<!-- options: npm run generate -->', '<!-- /options -->'];

/** Returns the document with a new table of pgbench's options between its two marks. */
export async function replaceOptionsTable(document: string): Promise<string> {
  const [before] = document.split(begin);
  const [, after] = document.split(end);
  if (before === undefined || after === undefined) throw new Error(`there is no ${begin} with its ${end}`);
  const rows = Object.entries(optionsOfPgbench).map(([option, use]) => {
    const since = 'since' in use && use.since !== undefined ? ` (${use.since} and newer)` : '';
    return `| \`${option}\`${since} | ${'said' in use ? use.said : ''} | ${'refused' in use ? use.refused : ''} |`;
  });
  const table = ['| pgbench | in the experiment | not, because |', '| :-- | :-- | :-- |', ...rows].join('\n');
  const text = `${before}${begin}\n\n${table}\n\n${end}${after}`;
  return format(text, { ...(await resolveConfig('docs/workloads.md')), parser: 'markdown' });
}
