import { access, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { isCommand } from '../../src/ground/platform/usages.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(root, path), 'utf8');

/** The words in backticks in the first column of a page's tables. */
function firstColumn(page: string): string[] {
  const cells = page.split('\n').map((line) => /^\| (`[^|]*) \|/.exec(line)?.[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''));
}

test('the page of settings lists every setting that the code reads, and no other', async () => {
  const files = (await readdir(join(import.meta.dirname, '../../src/ground/settings'))).filter((name) =>
    /^config\.ts$|-settings\.ts$/.test(name),
  );
  const source = (await Promise.all(files.map((name) => read(`src/ground/settings/${name}`)))).join('\n');
  const names = [...source.matchAll(/read\.\w+\('([A-Z_]+)'/g)].map((match) => match[1]);
  expect(firstColumn(await read('docs/settings.md')).sort()).toEqual([...new Set(names)].sort());
});

test('the page of dependencies lists every dependency of package.json, and no other', async () => {
  const names = [...Object.keys(packageJson.dependencies), ...Object.keys(packageJson.devDependencies)];
  expect(firstColumn(await read('docs/dependencies.md')).sort()).toEqual(names.sort());
});

test('every command of the pages and of the deployments exists', async () => {
  const pages = (await readdir(join(root, 'docs')))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const deployments = (await readdir(join(root, 'deploy'), { recursive: true }))
    .filter((name) => /\.(service|yaml|tpl)$|^Dockerfile$/.test(name))
    .map((name) => `deploy/${name}`);
  const texts = await Promise.all([...pages, 'README.md', ...deployments].map(read));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/\boperate\.js"?,?\s+(?:- )?"?([a-z][a-z-]*)/g)].map((match) => match[1] ?? ''),
  );
  expect(named).toContain('migrate');
  expect(named.length).toBeGreaterThan(25);
  expect(named.filter((name) => !isCommand(name) && name !== 'help')).toEqual([]);
  // A person's Node may be too old for TypeScript, so no page calls a program by it.
  expect(texts.flatMap((text) => text.match(/(?<!npx )\bnode [\w./-]+\.ts\b/g) ?? [])).toEqual([]);
});

test('every link of a page leads to a file, and to a heading of it', async () => {
  const inDocs = await readdir(join(root, 'docs'), { recursive: true });
  const atRoot = (await readdir(root)).filter((name) => name.endsWith('.md'));
  const pages = [...atRoot, ...inDocs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))];
  const links = (await Promise.all(pages.map(linksOf))).flat();
  expect(links.length).toBeGreaterThan(50);
  const faults = await Promise.all(links.map(faultsOf));
  expect(faults.flat()).toEqual([]);
});

type Link = { page: string; target: string };

async function linksOf(page: string): Promise<Link[]> {
  const prose = (await read(page)).replace(/`[^`]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  return targets.filter((target) => !/^https?:/.test(target)).map((target) => ({ page, target }));
}

/** @returns the link, if its file or its heading does not exist */
async function faultsOf({ page, target }: Link): Promise<string[]> {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  const leadsThere =
    anchor === undefined
      ? await access(join(root, file)).then(
          () => true,
          () => false,
        )
      : anchorsOf(await read(file).catch(() => '')).includes(anchor);
  return leadsThere ? [] : [`${page}: ${target}`];
}

/** The anchors that a page's headings get on GitHub. */
function anchorsOf(page: string): string[] {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
