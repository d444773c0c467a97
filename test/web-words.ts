import { dirname, join } from 'node:path';
import ts from 'typescript';

/**
 * The files that a browser reads before the first page: the static imports of `first`, and their imports. Type imports
 * and lazy imports do not count.
 */
export function firstLoad(first: string, read: (path: string) => string): string[] {
  const found = new Set<string>();
  const open = [first];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path) || !/\.tsx?$/.test(path)) continue;
    found.add(path);
    for (const statement of treeOf(path, read(path)).statements) {
      if (!ts.isImportDeclaration(statement) || statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
        continue;
      const { text } = statement.moduleSpecifier as ts.StringLiteral; // The grammar allows only a string here.
      if (text.startsWith('.')) open.push(join(dirname(path), text));
    }
  }
  return [...found];
}

/** @returns the keys that a file names, as a literal or as a template whose parts are known at run time */
export function keysIn(path: string, text: string, keys: readonly string[]): string[] {
  const whole = new Set<string>();
  const patterns: RegExp[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isStringLiteralLike(node)) whole.add(node.text);
    if (ts.isTemplateExpression(node)) {
      const written = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
      if (isOfKey(written))
        patterns.push(new RegExp(`^${written.map((part) => part.replaceAll('.', '[.]')).join('.+')}$`));
    }
    ts.forEachChild(node, visit);
  };
  visit(treeOf(path, text));
  return keys.filter((key) => whole.has(key) || patterns.some((pattern) => pattern.test(key)));
}

function isOfKey(written: readonly string[]): boolean {
  return written.every((part) => /^[\w.]*$/.test(part)) && written.some((part) => part.includes('.'));
}

function treeOf(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}
