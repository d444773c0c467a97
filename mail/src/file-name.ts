const nameBytesMax = 255;

/**
 * Cleans the file name that a stranger chose. Keeps the last path segment, without invisible characters and characters
 * that turn the reading direction. Folds white space and cuts to 255 bytes, but keeps the extension.
 * The name is for display only: storage never uses it as a path.
 * @returns null when no usable name is left
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

/** The longest beginning that fits, cut between code points. */
function firstBytes(text: string, bytesMax: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}
