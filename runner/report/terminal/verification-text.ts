import type { Verification } from '../../contract/check.ts';
import { hanging, wrap } from './wrap.ts';

/** What `pgduet verify` found: how much agrees, and each thing that does not, with its name. */
export function renderVerification(
  { location, agrees, files, trials, result, resultMadeAgain }: Verification,
  { columns }: { columns: number },
): string {
  const { sealed, agree, changed, missing, added, open, unchecked } = files;
  const notReadAgain = trials.checked - trials.readAgain;
  const lines = (mark: string, texts: readonly string[]): string[] =>
    texts.flatMap((text) => hanging(`  ${mark.padEnd(8)} `, text, columns));
  return [
    ...wrap(location, columns),
    ...wrap(
      sealed
        ? `Files: ${count(agree)} of ${count(agree + changed.length + missing.length)} in SHA256SUMS are as it says.`
        : 'Files: there is no SHA256SUMS, so that nobody can tell whether they are as they were measured.',
      columns,
    ),
    ...lines('changed', changed),
    ...lines('missing', missing),
    ...(sealed ? lines('not in it', added) : []),
    ...(open.length === 0
      ? []
      : wrap(
          `The run has not ended: ${count(open.length)} files are not in SHA256SUMS yet, and do not count.`,
          columns,
        )),
    ...lines('open', open),
    ...wrap(
      `Trials: the numbers of ${count(trials.checked)} finished trials were held against each other, and of ${count(trials.readAgain)} against what the load generator printed and logged.${notReadAgain === 0 ? '' : ` Of ${count(notReadAgain)}, no such output was read.`}`,
      columns,
    ),
    ...trials.problems.flatMap(({ trial, problem }) => hanging('  wrong    ', `${trial}: ${problem}`, columns)),
    ...lines('wrong', result),
    ...(resultMadeAgain === null
      ? []
      : wrap(
          resultMadeAgain
            ? 'Result: what follows from the trials was made again, and result.json was held against it.'
            : `Result: what follows from the trials was not made again, so that ${sealed ? 'only SHA256SUMS' : 'nothing'} vouches for result.json: another version of pgduet made it, or not all of the run is here and as it was.`,
          columns,
        )),
    ...(unchecked.length === 0
      ? []
      : wrap('Not checked, since it is made of the others, or counts for nothing:', columns)),
    ...lines('', unchecked),
    ...wrap(
      agrees
        ? open.length > 0
          ? 'What is in SHA256SUMS agrees.'
          : resultMadeAgain === false
            ? 'The files agree. Nothing but SHA256SUMS vouches for the result.'
            : 'All of it agrees.'
        : sealed
          ? 'NOT all of it agrees.'
          : 'NOT verified.',
      columns,
    ),
  ].join('\n');
}

function count(number: number): string {
  return number.toLocaleString('en');
}
