import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';

const styles = join(import.meta.dirname, '../../web/src/styles');
const fonts = ['inter-latin.woff2', 'inter-latin-ext.woff2'];
const letters = 'aßéąčđęğıłńőřșțůžœ ə ơ ư ẁ ẃ ẅ ỳ ŵ ŷ ǎ ǐ ǒ ǔ Ə Ơ Ư Ẁ Ẃ Ẅ Ỳ Ǎ Ǐ Ǒ Ǔ ẞ € £ ₹ ₽ ₴ ₺ ₩'.replaceAll(
  ' ',
  '',
);

test('every letter of a European name, and each sign of money, is in a font that the page asks for', async () => {
  const css = await readFile(join(styles, 'tokens.css'), 'utf8');
  const faces = [...css.matchAll(/fonts\/(inter-[\w-]+\.woff2)[^}]*unicode-range:([^;]*);/g)];
  expect(faces.map(([, name]) => name)).toEqual(fonts);
  const found = await Promise.all(
    faces.map(async ([, name = '', ranges = '']) => {
      const has = lettersOf(await readFile(join(styles, 'fonts', name)));
      const asked = [...ranges.matchAll(/U\+(\w+)(?:-(\w+))?/g)].map(([, from = '', to = from]) =>
        [from, to].map((code) => Number.parseInt(code, 16)),
      );
      const isAsked = (code: number) => asked.some(([from = 0, to = 0]) => from <= code && code <= to);
      return [...letters].filter((letter) => has.has(codeOf(letter)) && isAsked(codeOf(letter)));
    }),
  );
  expect([...letters].filter((letter) => !found.flat().includes(letter))).toEqual([]);
});

const codeOf = (letter: string) => letter.codePointAt(0) ?? 0;

/** The characters of a WOFF2 font, from its first table: `cmap` is the first of the order by tag that we use. */
function lettersOf(font: Buffer): Set<number> {
  let at = 48;
  const sizes: { tag: number; size: number }[] = [];
  const readSize = () => {
    let value = 0;
    for (let more = true; more; at++) {
      const byte = font.readUInt8(at);
      value = value * 128 + (byte & 127);
      more = byte > 127;
    }
    return value;
  };
  for (let left = font.readUInt16BE(12); left > 0; left--) {
    const flags = font.readUInt8(at++);
    const tag = flags & 63;
    if (tag === 63) at += 4;
    const size = readSize();
    // Outlines and their places, which are stored in a form of their own unless the version says otherwise.
    const isTransformed = tag === 10 || tag === 11 ? flags >> 6 !== 3 : flags >> 6 !== 0;
    sizes.push({ tag, size: isTransformed ? readSize() : size });
  }
  const data = brotliDecompressSync(font.subarray(at, at + font.readUInt32BE(20)));
  const index = sizes.findIndex(({ tag }) => tag === 0);
  const start = sizes.slice(0, index).reduce((sum, { size }) => sum + size, 0);
  return codesIn(data.subarray(start, start + (sizes[index]?.size ?? 0)));
}

/** The characters of the format 4 of a `cmap` table. */
function codesIn(table: Buffer): Set<number> {
  const codes = new Set<number>();
  for (let index = 0; index < table.readUInt16BE(2); index++) {
    const part = table.subarray(table.readUInt32BE(4 + index * 8 + 4));
    if (part.readUInt16BE(0) !== 4) continue;
    const bytes = part.readUInt16BE(6);
    for (let segment = 0; segment < bytes; segment += 2) {
      const [end, start] = [part.readUInt16BE(14 + segment), part.readUInt16BE(16 + bytes + segment)];
      for (let code = start; code <= end && code < 0xffff; code++) codes.add(code);
    }
  }
  return codes;
}
