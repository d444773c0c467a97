import ts from 'typescript';
import { toText } from '../../src/ground/database/sql.ts';
import { openProgram, root } from './declared-rows.ts';
import { noScope, SqlReader } from './sql-reader.ts';

const senders = new Set(['rows', 'maybe', 'one', 'apart', 'run']);

export type SourceStatement = { at: string; text: string };

/** Every statement that the service may send, as it is for each caller of the function around it. */
export function sourceStatements(planted: string): SourceStatement[] {
  const program = openProgram(planted);
  const checker = program.getTypeChecker();
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${root}/src`));
  const reader = new SqlReader(checker, files);
  const found = new Map<string, SourceStatement>();
  const note = (call: ts.CallExpression): void => {
    const [statement] = call.arguments;
    if (statement === undefined || !isSql(statement, checker)) return;
    const around = ts.findAncestor(call, ts.isFunctionDeclaration);
    const callers = around === undefined ? [] : reader.callsOf(around);
    const scopes = callers.map((each) =>
      reader.bind({ node: around as ts.FunctionDeclaration, scope: noScope }, each.arguments, noScope),
    );
    for (const scope of [noScope, ...scopes])
      for (const each of reader.readAll(statement, scope)) {
        const { text } = toText(each);
        found.set(text, { at: call.getSourceFile().fileName.slice(root.length + 1), text });
      }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
      if (senders.has(node.expression.name.text)) note(node);
    ts.forEachChild(node, visit);
  };
  for (const file of files) visit(file);
  return [...found.values()];
}

function isSql(node: ts.Node, checker: ts.TypeChecker): boolean {
  const type = checker.getTypeAtLocation(node);
  return (type.isUnion() ? type.types : [type]).some(({ symbol }) => symbol?.name === 'Sql');
}
