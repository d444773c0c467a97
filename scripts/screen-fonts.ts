import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import decompress from 'woff2-encoder/decompress';

const packages = join(import.meta.dirname, '../node_modules/@fontsource-variable');
/** The text face first. The others follow for the letters that it lacks. */
const families = {
  'noto-sans': 'Noto Sans',
  'noto-sans-jp': 'Noto Sans JP',
  'noto-sans-arabic': 'Noto Sans Arabic',
  'noto-emoji': 'Noto Emoji',
  'noto-sans-mono': 'Noto Sans Mono',
};

/**
 * Lays the fonts of the pictures into the folder. Chromium sees no others there, so the pictures are the same on every
 * machine. It reads no WOFF2 from a disk, so the fonts are unpacked.
 * @returns the path of the file for `FONTCONFIG_FILE`
 */
export async function layFonts(folder: string): Promise<string> {
  const fonts = join(folder, 'fonts');
  await mkdir(fonts, { recursive: true });
  for (const name of Object.keys(families)) {
    const files = join(packages, name, 'files');
    for (const file of await readdir(files)) {
      if (!/-wght-(?:normal|italic)\.woff2$/.test(file)) continue;
      await writeFile(join(fonts, file.replace('.woff2', '.ttf')), await decompress(await readFile(join(files, file))));
    }
  }
  const path = join(folder, 'fonts.conf');
  await writeFile(path, configOf(fonts, join(folder, 'font-cache')));
  return path;
}

function configOf(fonts: string, cache: string): string {
  const texts = Object.values(families).filter((family) => family !== 'Noto Sans Mono');
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${fonts}</dir>
<cachedir>${cache}</cachedir>
${['sans-serif', 'serif', 'system-ui'].map((family) => preferred(family, texts)).join('\n')}
${preferred('monospace', ['Noto Sans Mono', ...texts])}
</fontconfig>
`;
}

function preferred(family: string, names: readonly string[]): string {
  const prefer = names.map((name) => `<family>${name}</family>`).join('');
  return `<alias binding="same"><family>${family}</family><prefer>${prefer}</prefer></alias>`;
}
