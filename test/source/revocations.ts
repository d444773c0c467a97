import ts from 'typescript';
import { tablesChangedIn, tablesIn } from '../walks/statement-tenancy.ts';
import type { SourceFile } from './boundaries.ts';

/** The files whose statements find out the permissions of a caller. */
const gateFiles = ['src/access/auth/gate.ts', 'src/access/auth/admit-key.ts', 'src/ground/database/sight.ts'];

/** The tables that the gate reads: a change of their rows may revoke access. */
export function accessTables(files: readonly SourceFile[]): Set<string> {
  const gate = files.filter(({ path }) => gateFiles.includes(path));
  return new Set(gate.flatMap(statementsOf).flatMap(({ text }) => tablesIn(text)));
}

/** Each statement, as one line, that changes rows of these tables in a verb that does not call `tx.revokes()`. */
export function silentRevocations(files: readonly SourceFile[], tables: ReadonlySet<string>): string[] {
  const named = new RegExp(`\\b(?:${[...tables].join('|')})\\b`);
  return files
    .filter(({ text }) => named.test(text))
    .flatMap(statementsOf)
    .filter(({ text, isRevoking }) => !isRevoking && tablesChangedIn(text).some((table) => tables.has(table)))
    .map(({ path, text }) => `${path}: ${text.replace(/\s+/g, ' ').trim()}`);
}

type Statement = { path: string; text: string; isRevoking: boolean };

/** Every text of a file that may be a statement, whether it runs in the walks of other tests or not. */
function statementsOf({ path, text }: SourceFile): Statement[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const statements: Statement[] = [];
  const visit = (node: ts.Node, isRevoking: boolean): void => {
    const isInRevoking = isRevoking || (ts.isFunctionLike(node) && callsRevokes(node));
    if (ts.isStringLiteralLike(node)) statements.push({ path, text: node.text, isRevoking: isInRevoking });
    if (ts.isTemplateExpression(node)) {
      const parts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
      statements.push({ path, text: parts.join('$1'), isRevoking: isInRevoking });
    }
    ts.forEachChild(node, (child) => visit(child, isInRevoking));
  };
  visit(source, false);
  return statements.filter(({ text: found }) => /\s/.test(found));
}

function callsRevokes(node: ts.Node): boolean {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    if (node.expression.name.text === 'revokes') return true;
  return ts.forEachChild(node, (child) => callsRevokes(child) || undefined) ?? false;
}
