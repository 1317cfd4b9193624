import type { ParameterForm } from '../versions/form.ts';
import { accepts, formsOf, parseBoolean, parseNumber } from './judge.ts';

/**
 * Whether two texts are one value to every server that takes both: `4096kB` is `4MB`, and `true` is `on`. Two texts of
 * which a server might make the same, such as lists with other blanks, are not.
 */
export function isSameValue(name: string, one: string, other: string): boolean {
  const forms = formsOf(name, null).filter((form) => accepts(form, one) && accepts(form, other));
  return (
    one === other ||
    (forms.length > 0 && forms.every((form) => meaningOf(name, one, form) === meaningOf(name, other, form)))
  );
}

/** One text for all texts that are one value to every server that takes them: `4096kB` and `4MB` have the same. */
export function canonicalValue(name: string, text: string): string {
  const forms = formsOf(name, null).filter((form) => accepts(form, text));
  const meanings = new Set(forms.map((form) => String(meaningOf(name, text, form))));
  return meanings.size === 0 ? text : [...meanings].join(' or ');
}

function meaningOf(name: string, text: string, form: ParameterForm): string | number | boolean | null {
  switch (form.vartype) {
    case 'bool':
      return parseBoolean(text);
    case 'integer':
    case 'real':
      return parseNumber(text, form);
    case 'enum':
      return canonicalWord(name, text);
    case 'string':
      return text;
  }
}

/**
 * Words that the server accepts but shows as another word: `wal_compression = on` is shown as `pglz`. Source:
 * guc_tables.c of PostgreSQL 14 to 19.
 */
const synonyms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  wal_compression: { on: 'pglz' },
  wal_level: { archive: 'replica', hot_standby: 'replica' },
  ...Object.fromEntries(
    ['client_min_messages', 'log_min_messages', 'log_min_error_statement'].map((name) => [name, { debug: 'debug2' }]),
  ),
};

/** The word that a server shows for one that it accepts. */
export function canonicalWord(name: string, word: string): string {
  const meant = parseBoolean(word);
  const plain = meant === null ? word.toLowerCase() : meant ? 'on' : 'off';
  return synonyms[name]?.[plain] ?? plain;
}
