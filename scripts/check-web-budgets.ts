/**
 * Measures the files that a browser loads for the web inbox, and fails above the limits in docs/house.md. Sizes are
 * after gzip; most browsers get files a fifth smaller, with Brotli.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const dist = join(import.meta.dirname, '../web/dist');
const assets = join(dist, 'assets');

/** In kB of 1,000 bytes. A chunk counts with its own imports, without those of the first load. */
const budgets = { 'first-load JS': 145, 'first-load CSS': 20, fonts: 45, 'overlay chunk': 105, 'editor chunk': 140 };

// The page comes in several languages, which differ in the words that they load.
const pages = (await readdir(dist)).filter((name) => /^index.*\.html$/.test(name));
const firsts = await Promise.all(
  pages.map(async (name) => {
    const page = await readFile(join(dist, name), 'utf8');
    // The pattern has this group.
    return [...page.matchAll(/\/assets\/([\w.-]+\.(?:js|css))/g)].map(([, file]) => file as string);
  }),
);
const first = [...new Set(firsts.flat())];
const names = await readdir(assets);
const loaded = await withImports(first.filter((name) => name.endsWith('.js')));
const firstSizes = firsts.map(async (files) => sizeOf(await withImports(files.filter((name) => name.endsWith('.js')))));

const sizes: typeof budgets = {
  'first-load JS': Math.max(...(await Promise.all(firstSizes))),
  'first-load CSS': await sizeOf(new Set(first.filter((name) => name.endsWith('.css')))),
  fonts: await sizeOf(names.filter((name) => /^inter-.*\.woff2$/.test(name))),
  'overlay chunk': await sizeOfChunk(/^OverlayHost-.*\.js$/),
  'editor chunk': await sizeOfChunk(/^RichText-.*\.js$/),
};

for (const [name, budget] of Object.entries(budgets)) {
  const size = sizes[name as keyof typeof budgets];
  console.log(`${name}: ${size.toFixed(1)} of ${budget} kB`);
  if (size <= budget) continue;
  console.error(
    `The ${name} of the web inbox is ${size.toFixed(1)} kB; its budget is ${budget} kB. Load parts of it later.`,
  );
  process.exitCode = 1;
}

async function sizeOfChunk(pattern: RegExp): Promise<number> {
  const chunk = names.find((name) => pattern.test(name));
  if (chunk === undefined) throw new Error(`web/dist has no chunk like ${pattern.source}: put its new name here.`);
  const files = await withImports([chunk]);
  for (const name of loaded) files.delete(name);
  return sizeOf(files);
}

async function sizeOf(files: Iterable<string>): Promise<number> {
  let bytes = 0;
  for (const name of files) bytes += gzipSync(await readFile(join(assets, name)), { level: 9 }).length;
  return bytes / 1_000;
}

/** The files and their static imports. */
async function withImports(files: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  const open = [...files];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const text = await readFile(join(assets, name), 'utf8');
    for (const [, imported] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g))
      open.push(imported as string);
  }
  return found;
}
