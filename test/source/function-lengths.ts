import ts from 'typescript';
import type { SourceFile } from './boundaries.ts';

const linesMax = 70;

/** @returns a sentence for each function with more than 70 lines; test files may have longer functions */
export function lengthFaults(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => !/\.test\.tsx?$/.test(path)).flatMap(faultsOf);
}

function faultsOf({ path, text }: SourceFile): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const faults: string[] = [];
  const visit = (node: ts.Node): void => {
    const start = lineOf(node.getStart(source));
    const lines = lineOf(node.getEnd()) - start + 1;
    if (ts.isFunctionLike(node) && lines > linesMax)
      faults.push(
        `${path}:${start} has a function with ${lines} lines, and ${linesMax} is the limit: ` +
          'give its parts functions and names of their own.',
      );
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
}
