/** A block of code in the documentation that reads the files of a run. */
export interface Snippet {
  language: 'python' | 'sql';
  code: string;
  /** Where it begins, such as `docs/results.md:208`. */
  place: string;
}

/** All Python is for results. SQL may also be for PostgreSQL; that for DuckDB reads files. */
export function snippetsIn(file: string, text: string): Snippet[] {
  return [...text.matchAll(/^```(python|sql)\n([\s\S]*?)^```$/gm)].flatMap(
    ([before, language, code = '']): Snippet[] => {
      const place = `${file}:${text.slice(0, text.indexOf(before)).split('\n').length}`;
      if (language === 'python') return [{ language, code, place }];
      return /\bread_\w+\(/.test(code) ? [{ language: 'sql', code, place }] : [];
    },
  );
}
