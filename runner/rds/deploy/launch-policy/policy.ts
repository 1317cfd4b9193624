import type { DeployableExperiment } from '../deployable.ts';
import type { PolicyDocument } from './document.ts';
import { permissions, type PermissionScope } from './permissions.ts';
import { resourceTypesOf } from './resource-types.ts';
import { type Launch, scopesOf } from './scopes.ts';

/**
 * What the role may do with which CloudFormation makes, changes and deletes the stack of an experiment, and nothing
 * else. The stack deletes itself by the same role.
 *
 * @param launch any owner and any Region if undefined, as for a template whose stack knows them only at the launch
 */
export function launchPolicy(experiment: DeployableExperiment, launch?: Launch): PolicyDocument {
  const types = resourceTypesOf(experiment);
  const Statement = [...scopesOf(experiment, types, launch)].flatMap(
    ([scope, { resources, conditions, more = [] }]) => {
      const actions = [...types].flatMap((type) => permissions[type][scope] ?? []);
      const Action = [...new Set([...actions, ...more])].sort();
      if (Action.length === 0 || resources.length === 0) return [];
      return [
        {
          Sid: sidOf(scope),
          Effect: 'Allow' as const,
          Action,
          Resource: [...resources],
          ...(conditions && { Condition: conditions }),
        },
      ];
    },
  );
  return { Version: '2012-10-17', Statement };
}

function sidOf(scope: PermissionScope): string {
  return `${scope.slice(0, 1).toUpperCase()}${scope.slice(1)}`;
}
