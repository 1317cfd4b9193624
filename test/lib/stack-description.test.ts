import { describe, expect, it } from 'vitest';
import { experimentStack } from '../helpers/synthesize.ts';

const describedBy = (question: string): string | undefined =>
  experimentStack('dlv-pgbench', { change: (experiment) => ({ ...experiment, question }) }).templateOptions.description;

describe('the question as the description of the stack', () => {
  it('is whole as long as CloudFormation has room for it, which counts bytes', () => {
    const question = `${'é'.repeat(507)}ab`;
    expect(describedBy(question)).toBe(`pgduet: ${question}`);
  });

  it('is refused with its size where there is no room', () => {
    expect(() => describedBy('é'.repeat(509))).toThrow(
      /cannot be deployed:\n {2}question is 1018 bytes long, but the stack description fits 1016\. Shorten it$/,
    );
  });
});
