import type { DeployedDatabase } from '../contract/deployed-database.ts';
import type { LogVolumeSwitch } from '../contract/log-volume-switch.ts';
import type { TrialEvent } from '../contract/trial-event.ts';
import type { Target } from '../postgres/target.ts';
import type { VolumeCheck } from './local/volumes/volume.ts';

/** Where the variants of one run live, ready to be measured. */
export interface Place {
  kind: 'local' | 'deployed';
  /** In words for the report. */
  description: string;
  /** What this place cannot show, each in a sentence. */
  caveats: readonly string[];
  /** How volumes of limited IOPS were found to keep to their limits before anything was measured on them. */
  volumeChecks: readonly VolumeCheck[];
  /** By variant. */
  targets: ReadonlyMap<string, PlacedTarget>;
  /**
   * Puts variants under test. Before loading and before the reset of a trial it is called with an empty list: every server is
   * then as fast as it can be. Before the warm-up of a trial it is called with the variants that are about to be measured: from
   * then on the others are at rest.
   */
  putUnderTest(variants: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Only where a crossover can be: makes the log volumes what they are in that period, the first as deployed, the second
   * the other way round, and lets `targets` follow. Does nothing where they are so already.
   */
  enterPeriod?(period: 1 | 2, signal: AbortSignal): Promise<LogVolumeSwitch[]>;
  /** Only where somebody else runs the servers: what they say happened to one of them between two moments. */
  eventsBetween?: (variant: string, from: Date, to: Date) => Promise<TrialEvent[]>;
  /** Takes the place away, or with `keep` leaves it and returns how to reach it, in words. Safe to call twice. */
  close(options: { keep: boolean }): Promise<string | null>;
}

export interface PlacedTarget extends Target {
  /** Aborts, with the reason, when the server is found dead: a trial under way on it is over. */
  failed: AbortSignal;
  /** What RDS says that it is; absent on this machine. */
  deployed?: DeployedDatabase;
}
