import type { CarriedOutStep } from '../contract/result.ts';
import type { ResultVariant } from '../contract/run-record.ts';
import { serverName } from '../contract/server.ts';

/** Settings that the last load of a server changed, by name, with the values before and after. */
type Changed = Readonly<Record<string, readonly [before: string, after: string]>>;

/** What loading changed, by server. If a load found its server loaded already, it changed nothing more. */
function changedByLoad(steps: readonly CarriedOutStep[]): Map<string, Changed> {
  const found = new Map<string, Changed>();
  for (const { loads = [] } of steps) {
    for (const { server, outcome, settings = {} } of loads) if (outcome === 'loaded') found.set(server, settings);
  }
  return found;
}

/** The servers as trials found them. They are described before they are loaded, and data may bring its own settings. */
export function asLoaded<Server extends Pick<ResultVariant, 'name' | 'replica' | 'settings'>>(
  servers: readonly Server[],
  steps: readonly CarriedOutStep[],
): Server[] {
  const changed = changedByLoad(steps);
  return servers.map((server) => {
    const own = Object.entries(changed.get(serverName({ variant: server.name, replica: server.replica })) ?? {});
    const known = own.flatMap(([name, [, after]]) => (name in server.settings ? [[name, after] as const] : []));
    return known.length === 0 ? server : { ...server, settings: { ...server.settings, ...Object.fromEntries(known) } };
  });
}

/** What a reader must know about settings that loading changed: a sentence for each. */
export function loadedSettingWarnings(steps: readonly CarriedOutStep[]): string[] {
  const servers = new Map<string, string[]>();
  for (const [server, changed] of changedByLoad(steps)) {
    for (const [name, [before, after]] of Object.entries(changed)) {
      const words = `Loading changed ${name} from ${before} to ${after}`;
      servers.set(words, [...(servers.get(words) ?? []), server]);
    }
  }
  return [...servers].map(([words, on]) => `${words} on ${on.join(', ')}: the data contains its own settings.`);
}
