import type { Target } from '../../../postgres/target.ts';
import type { HammerdbWorkload } from '../schema.ts';
import { asScript, connectionCommands } from './connection.ts';

/** The script with which HammerDB looks whether its schema is whole and consistent. */
export function checkScript(target: Target, { warehouses }: Pick<HammerdbWorkload, 'warehouses'>): string {
  return asScript([...connectionCommands(target), `diset tpcc pg_count_ware ${warehouses}`, 'checkschema']);
}

/** The script that shows the version, and loads the libraries of the databases. */
export const libraryScript = asScript(['fconfigure stdout -buffering line', 'librarycheck']);
