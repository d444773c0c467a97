import ts from 'typescript';
import type { SourceFile } from './boundaries.ts';

/** @returns a sentence for each import cycle of these files; type imports and lazy imports count too */
export function cycleFaults(files: readonly SourceFile[]): string[] {
  const textOf = new Map(files.map(({ path, text }) => [path, text]));
  const visited = new Set<string>();
  const visit = (path: string, importers: readonly string[]): string[] => {
    const start = importers.indexOf(path);
    if (start >= 0) return [faultOf([...importers.slice(start), path])];
    if (visited.has(path)) return [];
    visited.add(path);
    return importsOf(path, textOf.get(path) ?? '').flatMap((imported) => visit(imported, [...importers, path]));
  };
  return files.flatMap(({ path }) => visit(path, []));
}

function importsOf(path: string, text: string): string[] {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => new URL(fileName, `file:///${path}`).pathname.slice(1));
}

function faultOf(cycle: readonly string[]): string {
  return (
    `${cycle.join(' imports ')}: files may not import each other in a cycle; move the type or function that ` +
    'closes it to the file where a reader looks for it, or to a file of its own.'
  );
}
