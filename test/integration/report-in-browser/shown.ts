/** A table as a reader sees it. */
export interface ShownTable {
  /** The words that name it. */
  title: string;
  /** Where it stands: id of the nearest block that has one. */
  place: string;
  columns: string[];
  rows: string[][];
}

/** What a page shows: its tables, the texts of its pictures, and the sentence in the largest letters. */
export interface Shown {
  tables: ShownTable[];
  pictures: string[];
  headline: string;
}
