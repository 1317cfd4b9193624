import type { Check } from '../../contract/check.ts';

export const pass = (name: string, finding: string): Check => ({ name, state: 'pass', finding });
export const warn = (name: string, finding: string): Check => ({ name, state: 'warn', finding });
export const fail = (name: string, finding: string): Check => ({ name, state: 'fail', finding });
export const notAssessed = (name: string, finding: string): Check => ({ name, state: 'not assessed', finding });

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
