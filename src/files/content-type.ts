import { isUtf8 } from 'node:buffer';
import { fileTypeFromBuffer } from 'file-type';

const unknownType = 'application/octet-stream';

/**
 * What kind of file it is, by its first bytes. Where they tell nothing the sender is believed as far as text goes, if it is
 * text; and where they tell of a container only (ZIP, Office before 2007, XML), as to what is in it.
 * @returns a media type without parameters
 */
export async function contentTypeOf(head: Buffer, declared: string): Promise<string> {
  const given = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,100}$/.exec(declared.trim().toLowerCase())?.[0] ?? unknownType;
  // What claims to be of a kind and then breaks off is of no kind.
  const sniffed = await fileTypeFromBuffer(head).catch(() => undefined);
  if (sniffed === undefined) return isTextType(given) && isText(head) ? given : unknownType;
  const found = sniffed.mime.split(';')[0] ?? unknownType;
  return contents[found]?.test(given) ? given : found;
}

/** What may be in a container whose beginning does not tell. */
const contents: Record<string, RegExp> = {
  'application/zip':
    /^application\/(?:vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.|epub\+zip$|java-archive$)/,
  'application/x-cfb': /^application\/(?:msword|vnd\.ms-(?:excel|powerpoint|outlook|project)|vnd\.visio)$/,
  'application/xml': /^(?:text\/xml|[a-z]+\/[a-z0-9.-]+\+xml)$/,
};

function isTextType(type: string): boolean {
  return /^text\/|^message\/rfc822$|[/+](?:json|xml|yaml|javascript|ecmascript|sql|x-sh|x-ndjson|x-yaml|x-pem-file|pgp-signature)$/.test(
    type,
  );
}

/** The last character may be cut. */
function isText(head: Buffer): boolean {
  if (head.includes(0)) return false;
  return [0, 1, 2, 3].some((cut) => cut <= head.length && isUtf8(head.subarray(0, head.length - cut)));
}
