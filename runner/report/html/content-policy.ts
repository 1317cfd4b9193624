import { createHash } from 'node:crypto';

/**
 * A Content-Security-Policy that lets a browser run this script, whatever a result holds, and no other.
 *
 * @param more further directives, such as `connect-src 'self'`
 */
export function contentPolicy(script: string, ...more: readonly string[]): string {
  const source = `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
  return ["default-src 'none'", "style-src 'unsafe-inline'", `script-src ${source}`, ...more].join('; ');
}
