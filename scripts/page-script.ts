import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { format } from 'prettier';

/** Text of a module with a string that holds the program in-browser/ENTRY.ts, to be put into a page. */
export async function scriptModule(entry: string, name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../runner/report/html/in-browser/${entry}.ts`, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    write: false,
  });
  const [script = ''] = outputFiles.map(({ text }) => text.trim());
  // In a page, this would end the script.
  if (/<\/script|<!--/i.test(script)) throw new Error(`the script of ${entry}.ts holds an end of a script`);
  return format(
    `/** Made from in-browser/${entry}.ts by \`npm run generate\`. */\nexport const ${name}: string = ${JSON.stringify(script)};\n`,
    { parser: 'typescript', singleQuote: true, printWidth: 120 },
  );
}

/** The modules with the scripts of pages, by their paths. */
export const scriptModules = {
  'runner/report/html/page-script.ts': () => scriptModule('main', 'pageScript'),
  'runner/report/live/live-script.ts': () => scriptModule('live', 'liveScript'),
};
