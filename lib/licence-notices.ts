import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild';
import type { Metafile, Plugin } from 'esbuild';

/** What we read of a bill of materials (CycloneDX 1.6). */
export interface BillOfMaterials {
  components: BundledPackage[];
}

export interface BundledPackage {
  /** Such as `@aws-sdk`. */
  group?: string;
  name: string;
  version: string;
  licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[];
  /** Files of the package that contain its licence, in base64. */
  evidence?: { licenses?: { license: { text: { content: string } } }[] };
}

/** Lets a build write a bill of materials with the licences of the packages that it bundles. */
export function materialsPlugin(outputFile: string): Plugin {
  return cyclonedxEsbuildPlugin({
    outputFile,
    gatherLicenseTexts: true,
    outputReproducible: true,
    logLevel: 'silent',
  });
}

/** Writes THIRD-PARTY-LICENSES into the folder of a build. */
export function writeLicenceNotices(folder: string, materials: string, metafile: Metafile, project: string): void {
  const listed = JSON.parse(readFileSync(materials, 'utf8')) as BillOfMaterials;
  writeFileSync(path.join(folder, 'THIRD-PARTY-LICENSES'), `${licenceNotices(listed, metafile, project)}\n`);
}

/**
 * The licences of the bundled packages, which most licences require in every copy. Packages with the same text are
 * listed together above it.
 *
 * @param project folder of this project, whose licence is Apache-2.0
 * @throws if a package has no text of a licence: it must not be bundled
 */
function licenceNotices({ components }: BillOfMaterials, metafile: Metafile, project: string): string {
  const folders = packageFolders(metafile, project);
  const holders = new Map<string, string[]>();
  for (const component of components) {
    const name = nameOf(component);
    const text = ownText(component) ?? textElsewhere(component, folders.get(name), project);
    holders.set(text, [...(holders.get(text) ?? []), `${name} (${licenceOf(component)})`]);
  }
  const parts = [...holders].map(([text, names]) => `${names.sort().join('\n')}\n\n${text}`).sort();
  return ['pgduet contains these packages. Each licence follows the names of its packages.', ...parts].join(
    `\n\n${'-'.repeat(80)}\n\n`,
  );
}

/** Such as `@aws-sdk/core@3.981.0`. */
export function nameOf({ group, name, version }: BundledPackage): string {
  return `${group === undefined ? '' : `${group}/`}${name}@${version}`;
}

/** As an SPDX expression; empty if the package does not name its licence. */
export function licenceOf({ licenses = [] }: BundledPackage): string {
  return licenses
    .map((one) => ('expression' in one ? one.expression : (one.license.id ?? one.license.name ?? '')))
    .join(' AND ');
}

function ownText({ evidence }: BundledPackage): string | null {
  const texts = (evidence?.licenses ?? []).map(({ license }) => Buffer.from(license.text.content, 'base64').toString());
  return texts.length === 0 ? null : texts.map((text) => text.trim()).join('\n\n');
}

/** For a package without a licence file: the licence section of its README, or Apache-2.0, whose text never differs. */
function textElsewhere(component: BundledPackage, folder: string | undefined, project: string): string {
  const readme = folder === undefined ? undefined : readdirSync(folder).find((file) => /^readme\b/i.test(file));
  const text = readme === undefined ? '' : readFileSync(path.join(folder ?? '', readme), 'utf8');
  const part = /^#+ *licen[cs]e\b.*\n([^]*?)(?=^#|$(?![^]))/im.exec(text)?.[1]?.trim();
  // A section that only names the licence does not contain its text.
  if (part !== undefined && part.includes('Copyright')) return part;
  if (licenceOf(component) === 'Apache-2.0') return readFileSync(path.join(project, 'LICENSE'), 'utf8').trim();
  throw new Error(`${nameOf(component)} has no text of its licence, so it must not be bundled.`);
}

/** The folder of each bundled package, by `nameOf`. */
function packageFolders({ inputs }: Metafile, project: string): Map<string, string> {
  const folders = Object.keys(inputs).flatMap((input) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  return new Map(
    [...new Set(folders)].flatMap((relative) => {
      const folder = path.resolve(project, relative);
      const file = path.join(folder, 'package.json');
      if (!existsSync(file)) return [];
      const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string };
      return [[`${name}@${version}`, folder] as const];
    }),
  );
}
