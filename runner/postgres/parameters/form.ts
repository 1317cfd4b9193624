/** A parameter as pg_settings of some major versions describes it. */
export interface ParameterForm {
  /** First and last of the major versions that have it in this form. */
  majors: readonly [first: number, last: number];
  type: 'bool' | 'integer' | 'real' | 'enum' | 'string';
  /** Unit of a number without one, such as `8kB`. */
  unit?: string;
  min?: number;
  max?: number;
  /** Words of an enum, with those that the server takes but does not list. */
  values?: readonly string[];
  /** When it can change: `postmaster` is only at a start, `internal` never. */
  context: string;
}
