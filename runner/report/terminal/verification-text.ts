import type { Finding, FindingId, Verification } from '../../contract/verification.ts';
import { hanging, wrap } from '../media/wrap.ts';
import { inDigits } from '../../contract/format.ts';
import { comparedWith, everythingAgrees, hashTerms } from '../verification-words.ts';

/** What the files and the manifest say about each other, in lines of their own. */
const manifestIds: readonly FindingId[] = ['no-manifest', 'file-changed', 'file-missing', 'file-unlisted'];

function textOf({ trial, message }: Finding): string {
  return trial === undefined ? message : `${trial}: ${message}`;
}

/** What `pgduet verify` found: how much agrees, and the name of everything that does not. */
export function renderVerification(
  { location, agrees, hashes, findings, files, trials, resultMadeAgain }: Verification,
  { columns }: { columns: number },
): string {
  const { sealed, agree, open, unchecked } = files;
  const notReadAgain = trials.checked - trials.readAgain;
  const lines = (mark: string, texts: readonly string[]): string[] =>
    texts.flatMap((text) => hanging(`  ${mark.padEnd(8)} `, text, columns));
  const filesWith = (id: FindingId): string[] =>
    findings.flatMap((finding) => (finding.id === id && finding.file !== undefined ? [finding.file] : []));
  const [changed, missing] = [filesWith('file-changed'), filesWith('file-missing')];
  return [
    ...wrap(location, columns),
    ...wrap(
      sealed
        ? `Files: ${inDigits(agree)} of ${inDigits(agree + changed.length + missing.length)} match ${comparedWith.files}.`
        : 'Files: no SHA256SUMS, so changes since the run cannot be detected.',
      columns,
    ),
    ...lines('changed', changed),
    ...lines('missing', missing),
    ...lines('unlisted', filesWith('file-unlisted')),
    ...(open.length === 0
      ? []
      : wrap(
          `The run has not ended: ${inDigits(open.length)} files are not in SHA256SUMS yet and are excluded.`,
          columns,
        )),
    ...lines('open', open),
    ...wrap(
      `Trials: compared the numbers of ${inDigits(trials.checked)} finished trials with each other, and those of ${inDigits(trials.readAgain)} with ${comparedWith.trials}.${notReadAgain === 0 ? '' : ` For ${inDigits(notReadAgain)}, no output was available.`}`,
      columns,
    ),
    ...lines('wrong', findings.filter(({ id }) => !manifestIds.includes(id)).map(textOf)),
    ...(resultMadeAgain === null
      ? []
      : wrap(
          resultMadeAgain
            ? `Result: compared result.json with ${comparedWith.result}.`
            : `Result: not recomputed, so ${sealed ? 'only SHA256SUMS' : 'nothing'} vouches for result.json. Another pgduet version wrote it, or parts of the run are missing or changed.`,
          columns,
        )),
    ...(unchecked.length === 0
      ? []
      : wrap('Not checked (derived from other files, or not part of the result):', columns)),
    ...lines('', unchecked),
    ...(sealed ? ['SHA-256, as in the report:'] : []),
    ...hashTerms(hashes).flatMap(([name, sha256]) => hanging(`  ${name.padEnd(11)}  `, sha256, columns)),
    ...wrap(
      agrees
        ? open.length > 0
          ? 'All files in SHA256SUMS match.'
          : resultMadeAgain === false
            ? 'The files match. Only SHA256SUMS vouches for the result.'
            : everythingAgrees
        : sealed
          ? 'VERIFICATION FAILED.'
          : 'NOT verified.',
      columns,
    ),
  ].join('\n');
}
