export interface PolicyStatement {
  Sid: string;
  Effect: 'Allow';
  Action: string[];
  Resource: string[];
  Condition?: Record<string, Record<string, string | string[]>>;
}

export interface PolicyDocument {
  Version: '2012-10-17';
  Statement: PolicyStatement[];
}

/** The most characters of a managed policy, not counting white space. */
export const maxCharacters = 6144;

/** What IAM counts of a policy. No value in ours contains white space. */
export function charactersOf(document: PolicyDocument): number {
  return JSON.stringify(document).length;
}
