import { wellFormed } from '../rules/well-formed.ts';
import { tools } from '../../workloads/registry.ts';
import { isMap, type Plain } from './profiles.ts';

/** Fills in the tool's defaults if the experiment says nothing: how databases are reset before each trial. */
export function withToolDefaults(experiment: Plain): Plain {
  if (!isMap(experiment) || !isMap(experiment['workload'])) return experiment;
  const { tool: name } = experiment['workload'];
  const tool = tools.find((one) => one.name === name);
  const { protocol = {} } = experiment;
  if (!tool || !isMap(protocol) || 'reset' in protocol) return experiment;
  const workload = wellFormed(tool.schema.shape, experiment['workload']);
  return { ...experiment, protocol: { ...protocol, reset: [...tool.defaultReset(workload)] } };
}
