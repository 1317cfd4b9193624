import { rdsProperties } from '../../runner/rds/deployments/server-properties.ts';
import { entry, type ReferencePage } from './page.ts';

export function serverPropertiesPage(): ReferencePage {
  return {
    file: 'docs/reference/server-properties.md',
    title: 'Reference: what RDS must report of a server',
    source: 'runner/rds/deployments/server-properties.ts',
    introduction:
      'Each property by its place in `deployed` of run.json and result.json. Before a run and before each trial, the\n' +
      'pre-flight and the place compare what RDS reports with what the deploy asked for; a server that differs is refused.',
    body: rdsProperties
      .map(({ id, name, check, mayDiffer }) =>
        entry(
          id,
          [name],
          [
            ...(mayDiffer ? ['Only a server without a standby must match the experiment.'] : []),
            ...(check === undefined
              ? []
              : [`The check \`${check}\` fails if two sides differ in it and were not meant to.`]),
          ],
        ),
      )
      .join('\n'),
  };
}
