import { isBuiltin } from 'node:module';
import ts from 'typescript';
import type { SourceFile } from './boundaries.ts';

/** A package of this tree: its folder, and the packages that its package.json names. */
export type OwnPackage = { folder: string; dependencies: readonly string[] };

/** @returns a sentence for each import that leads out of the package to anything but what its package.json names */
export function packageFaults({ folder, dependencies }: OwnPackage, files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    ts.preProcessFile(text, true, true).importedFiles.flatMap(({ fileName }) => {
      if (isBuiltin(fileName) || dependencies.includes(packageOf(fileName))) return [];
      if (!fileName.startsWith('.'))
        return [`${path} imports ${fileName}, which ${folder}/package.json does not name among its dependencies.`];
      const target = new URL(fileName, `file:///${path}`).pathname.slice(1);
      if (target.startsWith(`${folder}/`)) return [];
      return [`${path} imports ${target}: ${folder} is a package, and imports nothing of the tree around it.`];
    }),
  );
}

/** `@scope/name/deep.js` is of `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
