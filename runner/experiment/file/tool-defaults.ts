import { tools } from '../../workloads/registry.ts';
import { isMap, type Plain } from './profiles.ts';

/** Fills in the tool's defaults if the experiment says nothing: how databases are reset, and the metric that decides. */
export function withToolDefaults(experiment: Plain): Plain {
  if (!isMap(experiment) || !isMap(experiment['workload'])) return experiment;
  const { tool: name } = experiment['workload'];
  const tool = tools.find((one) => one.name === name);
  const { protocol = {}, decision = {} } = experiment;
  if (!tool) return experiment;
  const { defaultReset, throughput } = tool;
  return {
    ...experiment,
    ...(isMap(protocol) && !('reset' in protocol) ? { protocol: { ...protocol, reset: [...defaultReset] } } : {}),
    ...(isMap(decision) && !('metric' in decision) ? { decision: { ...decision, metric: throughput } } : {}),
  };
}
