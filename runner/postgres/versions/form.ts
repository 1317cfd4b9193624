/** A parameter as pg_settings of a major version describes it, by the names of its columns. */
export interface ParameterForm {
  vartype: 'bool' | 'integer' | 'real' | 'enum' | 'string';
  /** Unit of a number without one, such as `8kB`. */
  unit?: string;
  min_val?: number;
  max_val?: number;
  /** Words of an enum, with those that the server takes but does not list. */
  enumvals?: readonly string[];
  /** Value that a server has if nobody sets one; absent where it depends on the build or the machine. */
  boot_val?: string;
  /** When it can change: `postmaster` is only at a start, `internal` never. */
  context: string;
}

/** Names by group, such as those of a type of wait events. */
export type Names = Readonly<Record<string, readonly string[]>>;

/** A file MAJOR.json: what a major version has that the one before it does not have, and the other way round. */
export interface MajorChanges {
  /** Of the server that was asked, such as `18.6`. */
  server_version: string;
  /** Where they are new or differ; null if the version does not have the parameter any more. */
  pg_settings: Readonly<Record<string, ParameterForm | null>>;
  /** By type, as pg_stat_activity spells them. */
  wait_events: Readonly<Record<'added' | 'removed', Names>>;
  /** By view of statistics. */
  columns: Readonly<Record<'added' | 'removed', Names>>;
}
