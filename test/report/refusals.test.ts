import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { remedyOf } from '../../runner/report/words/change-words.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { printedWords } from '../helpers/shown/printed-words.ts';

describe('a refusal', () => {
  it('says once what cannot be concluded, why, and the remedy', async () => {
    const opened = await changedSample({}, ({ trials }) => {
      for (const trial of trials) {
        const finding = 'other programs took 62 % of this machine’s processors (node 1.05 processors)';
        trial.checks = [{ name: 'other programs', state: 'fail', finding, outside: 'other programs' }];
      }
    });
    const { terminal } = await printedWords(opened);
    expect(terminal).toContain(
      'Nothing can be concluded in this start about with-log-volume against without-log-volume: other programs took 62 % of this machine’s processors (node 1.05 processors) (block-01-1-without-log-volume and 11 more of 12 trials). End them or use a dedicated machine, and measure again.',
    );
    expect(terminal.match(/62 %/g)).toHaveLength(1);
    expect(terminal.match(/other programs/g)).toHaveLength(1);
    expect(terminal.match(/measure again/g)).toHaveLength(1);
  });

  it('has a remedy for every check of trials that can fail', () => {
    const folder = path.resolve(import.meta.dirname, '../../runner/analysis/validity');
    const other = remedyOf('nothing that is known');
    for (const room of ['trial', 'invariant']) {
      for (const file of readdirSync(path.join(folder, room))) {
        const text = readFileSync(path.join(folder, room, file), 'utf8');
        const [, name] = /const name = '(.*)';/.exec(text) ?? [];
        if (name !== undefined && /\bfail\(/.test(text)) expect([name, remedyOf(name)]).not.toEqual([name, other]);
      }
    }
  });

  it('has the remedy of its own check, and of no check whose name another word begins with', () => {
    const other = remedyOf('nothing that is known');
    expect(remedyOf('work: 62 % of what was offered')).not.toBe(other);
    expect(remedyOf('work of the sides differs')).not.toBe(other);
    expect(remedyOf('workload: the scale is 10 in a, 20 in b')).toBe(other);
    expect(remedyOf('controls: none')).toBe(other);
  });

  it('of a trial that failed does not say that the run was interrupted', async () => {
    const opened = await changedSample({}, ({ trials }) => {
      for (const trial of trials.filter(({ block }) => block > 4)) {
        Object.assign(trial, { state: 'failed', measures: {}, failure: { stage: 'measure', error: 'no connection' } });
      }
    });
    for (const text of Object.values(await printedWords(opened))) {
      expect(text).toContain('Four of 12 planned trials have no result: 4 failed.');
      expect(text).not.toContain('interrupted or stopped');
    }
  });
});
