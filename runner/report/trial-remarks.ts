import type { Trial } from '../contract/trial.ts';

/** Remarks on one trial, each a sentence. */
export function trialRemarks({ state, failure, warnings, checks }: Trial): string[] {
  if (failure) {
    const happened = state === 'failed' ? 'Failed' : 'Interrupted';
    return [asSentence(`${happened} during ${failure.stage}: ${failure.error}`)];
  }
  const found = checks.flatMap(({ name, state: judged, finding }) =>
    judged === 'fail' ? [`Failed check: ${name}: ${finding}`] : judged === 'warn' ? [`See the check “${name}”`] : [],
  );
  return [...warnings.map(({ message }) => message), ...found].map(asSentence);
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
