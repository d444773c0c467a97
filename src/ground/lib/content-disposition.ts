import { withoutInvisible } from '@kontor/mail/invisible.ts';

/**
 * A `Content-Disposition: attachment` header with a file name that every browser reads (RFC 6266, RFC 8187).
 * Old browsers read `filename`, which is plain ASCII. `filename*` adds the UTF-8 name where the two differ.
 */
export function attachmentDisposition(fileName: string): string {
  const name = withoutInvisible(fileName.toWellFormed()).replace(/[/\\]/g, '_').trim();
  const plain = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["%]/g, '_');
  const quoted = `attachment; filename="${plain === '' ? 'file' : plain}"`;
  return plain === name || name === '' ? quoted : `${quoted}; filename*=UTF-8''${extendedValue(name)}`;
}

/** RFC 8187 §3.2.1: every character outside attr-char is percent-encoded. */
function extendedValue(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
