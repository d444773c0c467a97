import { isUtf8 } from 'node:buffer';
import { fileTypeFromBuffer } from 'file-type';

const unknownType = 'application/octet-stream';

/**
 * Detects the type of a file by its first bytes. Two declared types of the sender are accepted: a text type, if the
 * bytes reveal no type and are text, and the type inside a container (ZIP, Office before 2007, XML).
 * @returns a media type without parameters
 */
export async function contentTypeOf(head: Buffer, declared: string): Promise<string> {
  const given = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,100}$/.exec(declared.trim().toLowerCase())?.[0] ?? unknownType;
  // A file with the signature of a type may break off after it. Its type is unknown.
  const sniffed = await fileTypeFromBuffer(head).catch(() => undefined);
  if (sniffed === undefined) return isTextType(given) && isText(head) ? given : unknownType;
  const found = sniffed.mime.split(';')[0] ?? unknownType;
  return contents[found]?.test(given) ? given : found;
}

/** The types that a container may have inside, which its first bytes do not reveal. */
const contents: Record<string, RegExp> = {
  'application/zip':
    /^application\/(?:vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.|epub\+zip$|java-archive$)/,
  'application/x-cfb': /^application\/(?:msword|vnd\.ms-(?:excel|powerpoint|outlook|project)|vnd\.visio)$/,
  'application/xml': /^(?:text\/xml|[a-z]+\/[a-z0-9.-]+\+xml)$/,
};

const textSuffix = /[/+](?:json|xml|yaml|javascript|ecmascript|sql|x-sh|x-ndjson|x-yaml|x-pem-file|pgp-signature)$/;

function isTextType(type: string): boolean {
  return type.startsWith('text/') || type === 'message/rfc822' || textSuffix.test(type);
}

/** Accepts a last character that is cut off. */
function isText(head: Buffer): boolean {
  if (head.includes(0)) return false;
  return [0, 1, 2, 3].some((cut) => cut <= head.length && isUtf8(head.subarray(0, head.length - cut)));
}
