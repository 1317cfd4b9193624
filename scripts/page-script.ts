import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { format } from 'prettier';

/** Text of runner/report/html/page-script.ts: the programs of in-browser/ in one string. */
export async function pageScriptModule(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../runner/report/html/in-browser/main.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    write: false,
  });
  const [script = ''] = outputFiles.map(({ text }) => text.trim());
  // In a page, this would end the script.
  if (/<\/script|<!--/i.test(script)) throw new Error('the script of the page holds an end of a script');
  return format(
    `/** Made from in-browser/ by \`npm run generate\`. */\nexport const pageScript: string = ${JSON.stringify(script)};\n`,
    { parser: 'typescript', singleQuote: true, printWidth: 120 },
  );
}
