/** A table as terminal, Markdown and HTML show it: every text is final, only its dress differs. */
export interface Table {
  title: string;
  columns: Column[];
  rows: Row[];
  /** What a reader needs to know to read it right; a sentence or more each. */
  notes: string[];
}

export interface Column {
  label: string;
  align: 'left' | 'right';
  /** Where a terminal is too narrow, columns with the lowest number go first, together; without a number they stay. */
  shed?: number | undefined;
}

export interface Row {
  cells: string[];
  /** strong: the row that decides. muted: there, but not counted. */
  emphasis?: 'strong' | 'muted' | undefined;
  /** Only where something is claimed. */
  tone?: 'good' | 'bad' | undefined;
}

export const left = (label: string, shed?: number): Column => ({ label, align: 'left', shed });
export const right = (label: string, shed?: number): Column => ({ label, align: 'right', shed });
