import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';

/** What vitest's JSON reporter writes, as far as it is read here. */
const outcomeSchema = z.object({
  testResults: z.array(
    z.object({
      message: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

/**
 * The tests of a scenario that failed, each with its error.
 * @param folder the logs of the scenario, with `outcome.json`
 */
export function failures(scenario: string, folder: string): string {
  const file = path.join(folder, 'outcome.json');
  if (!existsSync(file)) return `${scenario}: ended before its tests did`;
  const { testResults } = outcomeSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const lines = testResults.flatMap(({ message, assertionResults }) => [
    message,
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .flatMap(({ fullName, failureMessages }) => [fullName, ...failureMessages]),
  ]);
  return [scenario, ...lines.filter((line) => line !== '').map(stripVTControlCharacters)].join('\n');
}
