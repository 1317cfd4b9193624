import type { Variant } from '../../contract/experiment/variant.ts';
import type { Result } from '../../contract/result.ts';
import type { RuleProblem } from '../../contract/rule-problem.ts';

/** A speed or a length, and who says so. */
export interface Speed {
  value: number;
  /** In words, such as `measured in the pilot` or `a guess`. */
  source: string;
}

/**
 * Where the servers of an experiment are, and what follows from that. Nobody else asks for the type of a storage or the name of
 * a place, but for what they need to know: lint sees to it.
 */
export interface ExperimentPlace {
  /** As result.json has it. */
  kind: Result['place']['kind'];
  /** AWS bills for the servers while they are there: there are prices, limits in dollars, and an end by itself. */
  isBilled: boolean;
  /**
   * A deploy makes the servers: it takes what RDS has, restores snapshots, and can move log volumes. RDS tells what they are
   * and what happened to them.
   */
  isDeployed: boolean;
  /** Each start of a run makes the servers, and removes them at its end. */
  isMadeByRun: boolean;
  /** Load and servers share a machine: its processors, disks and network. What disturbs one disturbs the other. */
  sharesMachine: boolean;
  /** Time between two looks at a server. Over a network, and with a large server whose list of sessions is long, a look costs more. */
  sampleSeconds: number;
  /** Until servers are there, loaded later or restored from a snapshot; and until one that restarts accepts connections. */
  speeds: { createSeconds: Speed; restoreSeconds: Speed; restartSeconds: Speed };
  /** What is wrong with a variant here. Values that are wrong by themselves are left out of it. */
  problems: (variant: Partial<Variant>) => RuleProblem[];
  /** What is allowed, but a reader of the result would want to know. */
  warnings: (name: string, variant: Partial<Variant>) => string[];
}
