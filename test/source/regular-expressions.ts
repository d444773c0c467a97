import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { readSources } from './sources.ts';

/** A regular expression of the product, and the file that has it. */
export type Found = { path: string; source: string; flags: string };

/** Matches what a template puts in at run time. */
const filling = 'x';

/**
 * Each regular expression of the service, the client and the web inbox: literals, what modules put together when they
 * load, what functions put together (with `x` in place of their values), and the patterns of request schemas.
 */
export async function findRegularExpressions(): Promise<Found[]> {
  const folders = ['src', 'mail/src', 'client/src', 'web/src'];
  const sources = (await Promise.all(folders.map((folder) => readSources(folder, /\.tsx?$/)))).flat();
  const files = sources.filter(({ path }) => !/\.test\.tsx?$/.test(path));
  const built = files.filter(({ path, text }) => path.startsWith('src/') && text.includes('new RegExp('));
  const found = [
    ...files.flatMap(({ path, text }) => literalsIn(path, text)),
    ...(await builtAtLoad(built.map(({ path }) => path))),
    ...(await patternsOfRequests()),
  ];
  return [...new Map(found.map((one) => [`${one.path} ${one.source} ${one.flags}`, one])).values()];
}

function literalsIn(path: string, text: string): Found[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ path, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    if (ts.isNewExpression(node) && node.expression.getText(file) === 'RegExp') {
      const [source, flags] = (node.arguments ?? []).map(textOf);
      if (source !== undefined) found.push({ path, source, flags: flags ?? '' });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** @returns undefined for a value that only the running program knows */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  const isRaw = ts.isTaggedTemplateExpression(node);
  const template = isRaw ? node.template : node;
  if (!ts.isTemplateExpression(template)) return undefined;
  const texts = [template.head, ...template.templateSpans.map(({ literal }) => literal)];
  return texts.map(({ text, rawText }) => (isRaw ? (rawText ?? text) : text)).join(filling);
}

/** Loads the modules, and listens to what they put together meanwhile. */
async function builtAtLoad(paths: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  const native = globalThis.RegExp;
  for (const path of paths) {
    globalThis.RegExp = new Proxy(native, {
      construct: (target, parts, newTarget) => {
        const made: RegExp = Reflect.construct(target, parts, newTarget);
        // The packages that a module loads put some together as well.
        const by = /\/(src\/[^:?)]+\.ts)/.exec(new Error().stack?.split('\n')[2] ?? '')?.[1];
        if (typeof parts[0] === 'string' && by !== undefined)
          found.push({ path: by, source: made.source, flags: made.flags });
        return made;
      },
    });
    try {
      await import(join(import.meta.dirname, '../..', path));
    } finally {
      globalThis.RegExp = native;
    }
  }
  return found;
}

async function patternsOfRequests(): Promise<Found[]> {
  const path = 'openapi.json';
  const text = await readFile(join(import.meta.dirname, '../..', path), 'utf8');
  const found = new Set<string>();
  JSON.parse(text, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') found.add(value);
    return value;
  });
  return [...found].map((source) => ({ path, source, flags: '' }));
}
