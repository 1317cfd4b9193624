/**
 * PostgreSQL's own roles whose rights let a run do or see more: with what does not happen, or is not seen, without them. One
 * that the server's version does not have is not missing.
 */
const predefinedRoles = {
  pg_checkpoint: 'trials begin without a checkpoint',
  pg_monitor: 'autovacuum activity, standby lag and dirty buffers are not observed',
} as const;

export type PredefinedRole = keyof typeof predefinedRoles;

/** SQL of an array: which of them the server has, and the role of the session does not. */
export const missingRoles = `ARRAY(SELECT rolname::text FROM pg_roles
  WHERE rolname IN (${Object.keys(predefinedRoles)
    .map((name) => `'${name}'`)
    .join(', ')}) AND NOT pg_has_role(oid, 'USAGE') ORDER BY 1)`;

/** SQL: whether the role of the session sees what the sessions of others and of the server itself do. */
export const seesAllSessions = `pg_has_role('pg_read_all_stats', 'USAGE')`;

/** What a run lacks for the rights of its role, with each GRANT; null if it lacks nothing. */
export function missingRights(missing: readonly PredefinedRole[], role: string): string | null {
  const words = missing.map((name) => `${predefinedRoles[name]} (GRANT ${name} TO ${role} changes that)`);
  return words.length === 0 ? null : words.join('; ');
}

/** Why a source sees nothing. What it takes is said once for the server, where it is the place that knows it. */
export function withoutRole(name: PredefinedRole): string {
  return `pgduet’s role does not have the rights of ${name}`;
}
