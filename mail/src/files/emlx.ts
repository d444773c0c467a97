/** Reads files of Apple Mail (.emlx): a line with the size of the mail in bytes, the mail, and a list of properties. */
import type { LeftOut } from './folder-words.ts';

const countLine = /^[ \t]{0,20}(\d{1,12})[ \t]{0,20}\r?\n/;
const countLineCharsMax = 60;
const listCharsMax = 100_000;

/** The place below the line with the size, or undefined if the file begins with something else. */
export function startOfEmlx(bytes: Buffer): number | undefined {
  return readCount(bytes)?.start;
}

/** The mail of such a file, and why its flags leave it out; undefined for another file. */
export function readEmlx(bytes: Buffer): { mail: Buffer; leftOut: LeftOut | null } | undefined {
  const count = readCount(bytes);
  if (count === undefined) return undefined;
  const end = endOfMail(bytes, count);
  const list = bytes.toString('latin1', end, end + listCharsMax);
  const flags = /<key>flags<\/key>\s{0,20}<integer>(-?\d{1,20})<\/integer>/.exec(list)?.[1] ?? '0';
  return { mail: bytes.subarray(count.start, end), leftOut: kindOfFlags(BigInt(flags)) };
}

type Count = { start: number; sizeBytes: number };

function readCount(bytes: Buffer): Count | undefined {
  const found = countLine.exec(bytes.toString('latin1', 0, countLineCharsMax));
  return found === null ? undefined : { start: found[0].length, sizeBytes: Number(found[1]) };
}

/** A program that changed the line ends made the size wrong. Then the list itself tells where the mail ends. */
function endOfMail(bytes: Buffer, { start, sizeBytes }: Count): number {
  const end = start + sizeBytes;
  const behind = bytes.toString('latin1', end, end + 40);
  if (end <= bytes.length && /^\s{0,20}(?:<\?xml|<!DOCTYPE|<plist|$)/.test(behind)) return end;
  const listAt = bytes.lastIndexOf('<?xml');
  const isList = listAt >= start && bytes.toString('latin1', listAt, listAt + 500).includes('<plist');
  return isList ? listAt : bytes.length;
}

const flagDeleted = 1n << 1n;
const flagDraft = 1n << 6n;
const flagJunk = 1n << 24n;
const flagNotJunk = 1n << 25n;

function kindOfFlags(flags: bigint): LeftOut | null {
  if ((flags & flagDeleted) !== 0n) return 'deleted';
  if ((flags & flagDraft) !== 0n) return 'drafts';
  return (flags & flagJunk) !== 0n && (flags & flagNotJunk) === 0n ? 'spam' : null;
}
