import type { Built } from '../../contract/built.ts';
import type { WrittenExperiment } from '../../contract/experiment/schema.ts';

type Variants = WrittenExperiment['variants'];

/** What a run has built, by variant. */
export type BuiltByVariant = Readonly<Record<string, Built>>;

/** The variants of a run that is repeated: with the commits that were built, wherever their branches are now. */
export function withRecordedCommits(variants: Variants, built: BuiltByVariant): Variants {
  return Object.fromEntries(
    Object.entries(variants).map(([name, variant]) => {
      const { server, extension } = built[name] ?? {};
      const { engine, extension: named } = variant;
      return [
        name,
        {
          ...variant,
          engine: { ...engine, ...(engine.source && { source: at(engine.source, server?.commit) }) },
          ...(named && { extension: { source: at(named.source, extension?.commit) } }),
        },
      ];
    }),
  );
}

function at<Code extends { git?: string | undefined; commit?: string | undefined }>(code: Code, commit?: string): Code {
  return code.git === undefined || commit === undefined ? code : { ...code, commit };
}
