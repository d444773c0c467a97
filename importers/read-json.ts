import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readLines } from '../src/operations/transfer/read-lines.ts';

/** An object of a source, and where it stands. */
export type Found = { where: string; value: Record<string, unknown> };

/** A page of an API fits in memory; larger files must have one object a line. */
const wholeBytesMax = 256 * 1024 ** 2;

/**
 * All objects in JSON files and folders of them: one object a line, or a whole document, which may be a page of an API
 * or a list. Files are read in the order of their names.
 * @param problem gets what is no JSON
 */
export async function* readObjects(
  paths: readonly string[],
  problem: (where: string, reason: string) => void,
): AsyncGenerator<Found> {
  for (const path of await filesIn(paths)) {
    const name = basename(path);
    const whole = await readWhole(path);
    if (whole !== undefined) {
      for (const [at, value] of [whole].flat().entries())
        if (isObject(value)) yield { where: `${name} (${at + 1})`, value };
        else problem(`${name} (${at + 1})`, 'is no object');
      continue;
    }
    for await (const line of readLines(path)) {
      const where = `${name}:${line.number}`;
      if ('fault' in line) problem(where, line.fault);
      else if (line.text.trim() !== '') {
        const value = parsed(line.text);
        if (isObject(value)) yield { where, value };
        else problem(where, 'is no JSON object');
      }
    }
  }
}

async function filesIn(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    if ((await stat(path)).isFile()) found.push(path);
    else
      for (const name of (await readdir(path, { recursive: true })).sort())
        if (/\.(json|jsonl|ndjson)$/i.test(name)) found.push(join(path, name));
  }
  return found;
}

/** The document of a file that is one; undefined for a file of lines. */
async function readWhole(path: string): Promise<unknown> {
  if ((await stat(path)).size > wholeBytesMax) return undefined;
  return parsed(await readFile(path, 'utf8'));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list, and none for anything else. */
export function objectsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A key of the source, which may be a number or a text. */
export function keyOf(value: unknown): string | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : textOf(value);
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The objects without those whose `id` comes again later, as in pages that were saved twice. */
export function lastOfEach(objects: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return [...new Map(objects.map((object) => [keyOf(object.id) ?? object, object])).values()];
}
