/** A table for terminal, Markdown and HTML. All texts are final; only the layout differs. */
export interface Table {
  title: string;
  columns: Column[];
  rows: Row[];
  /** What a reader needs to know to read the table correctly. Each note is a sentence or more. */
  notes: string[];
}

export interface Column {
  label: string;
  align: 'left' | 'right';
  /**
   * If a terminal is too narrow, the columns with the lowest number are left out first, all together. Columns without a
   * number stay.
   */
  shed?: number | undefined;
}

export interface Row {
  cells: string[];
  /** strong: the row that decides. muted: shown, but not counted. */
  emphasis?: 'strong' | 'muted' | undefined;
  /** Only for a row that claims something. */
  tone?: 'good' | 'bad' | undefined;
}

export const left = (label: string, shed?: number): Column => ({ label, align: 'left', shed });
export const right = (label: string, shed?: number): Column => ({ label, align: 'right', shed });
