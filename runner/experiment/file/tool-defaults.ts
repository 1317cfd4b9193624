import { wellFormed } from '../rules/well-formed.ts';
import { tools } from '../../workloads/every-tool.ts';
import { isMap, type Plain } from './profiles.ts';

/** Fills in the tool's defaults if the experiment says nothing: how databases are reset, and the metric that decides. */
export function withToolDefaults(experiment: Plain): Plain {
  if (!isMap(experiment) || !isMap(experiment['workload'])) return experiment;
  const { tool: name } = experiment['workload'];
  const tool = tools.find((one) => one.name === name);
  const { protocol = {}, decision = {} } = experiment;
  if (!tool) return experiment;
  const reset = tool.defaultReset(wellFormed(tool.schema.shape, experiment['workload']));
  return {
    ...experiment,
    ...(isMap(protocol) && !('reset' in protocol) ? { protocol: { ...protocol, reset: [...reset] } } : {}),
    ...(isMap(decision) && !('metric' in decision) ? { decision: { ...decision, metric: tool.throughput } } : {}),
  };
}
