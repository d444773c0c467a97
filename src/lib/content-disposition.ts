/**
 * A `Content-Disposition: attachment` with the file's name for every browser (RFC 6266, RFC 8187): plain ASCII first, for
 * old ones, and the name itself in UTF-8 where that is not the same.
 */
export function attachmentDisposition(fileName: string): string {
  const name = fileName
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .replace(/[/\\]/g, '_')
    .trim();
  const plain = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["%]/g, '_');
  const quoted = `attachment; filename="${plain === '' ? 'file' : plain}"`;
  return plain === name || name === '' ? quoted : `${quoted}; filename*=UTF-8''${extendedValue(name)}`;
}

/** RFC 8187 §3.2.1: attr-char stays, everything else is percent-encoded. */
function extendedValue(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
