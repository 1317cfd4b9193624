/** A parameter as pg_settings of a major version describes it. */
export interface ParameterForm {
  type: 'bool' | 'integer' | 'real' | 'enum' | 'string';
  /** Unit of a number without one, such as `8kB`. */
  unit?: string;
  min?: number;
  max?: number;
  /** Words of an enum, with those that the server takes but does not list. */
  values?: readonly string[];
  /** Value that a server has if nobody sets one; absent where it depends on the build or the machine. */
  default?: string;
  /** When it can change: `postmaster` is only at a start, `internal` never. */
  context: string;
}

/** What a major version has that the one before it does not have, and the other way round. */
export interface MajorChanges {
  major: number;
  /** The server that was asked, such as `18.6`. */
  asked: string;
  /** Forms by name, where they are new or differ; null if the version does not have the parameter any more. */
  parameters: Readonly<Record<string, ParameterForm | null>>;
  /** Names by type, as pg_stat_activity spells them, separated by blanks. */
  waitEvents: Readonly<Record<'added' | 'removed', Readonly<Record<string, string>>>>;
  /** Columns by view of statistics, separated by blanks. */
  columns: Readonly<Record<'added' | 'removed', Readonly<Record<string, string>>>>;
}
