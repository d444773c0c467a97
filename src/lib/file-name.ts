const nameBytesMax = 255;

/**
 * What is kept of the name that a stranger gave a file: the last segment of its path, without what cannot be seen or turns the
 * reading direction, white space folded, at most 255 bytes with its ending kept. It is for people; nothing is stored by it.
 * @returns null when nothing is left that names a file
 */
export function cleanFileName(given: string): string | null {
  const visible = given.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
  const segment = visible.split(/[/\\]/).at(-1) ?? '';
  const name = segment.replace(/[\s\u2028\u2029]+/g, ' ').trim();
  if (name === '' || name === '.' || name === '..') return null;
  if (Buffer.byteLength(name) <= nameBytesMax) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return `${firstBytes(name, nameBytesMax - ending.length).trimEnd()}${ending}`;
}

/** As many whole code points from the beginning as fit. */
function firstBytes(text: string, bytesMax: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}
