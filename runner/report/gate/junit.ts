import type { Gate } from '../../contract/gate.ts';
import { escape } from '../media/markup.ts';
import { gateLine } from './words.ts';

/** The outcome of a gate as JUnit XML: one test, which fails with a regression, and is skipped without a verdict. */
export function gateJunit(found: Gate): string {
  const { outcome, experiment, base, head, metric } = found;
  const message = quoted(gateLine(found));
  const inside = {
    pass: '',
    fail: `<failure message=${message}></failure>`,
    'no-verdict': `<skipped message=${message}></skipped>`,
  }[outcome];
  const counts = `tests="1" failures="${outcome === 'fail' ? 1 : 0}" errors="0" skipped="${outcome === 'no-verdict' ? 1 : 0}"`;
  const name = quoted(`${metric} of ${head.ref} against ${base.ref}`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name=${quoted(`pgduet ${experiment}`)} ${counts}>`,
    `    <testcase classname=${quoted(`pgduet.${experiment}`)} name=${name}>${inside}</testcase>`,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `"${escape(text)}"`;
}
