import { join } from 'node:path';
import ts from 'typescript';
import { toText } from '../../src/ground/database/sql.ts';
import { noScope, SqlReader } from './sql-reader.ts';

/** A statement, the type that its caller declares for a row, and the file of the caller. */
export type Declared = { path: string; text: string; row: ts.Type };

export const root = join(import.meta.dirname, '../..');
const readers = new Set(['rows', 'maybe', 'one', 'apart']);

/**
 * Every statement whose rows the service reads.
 * @param planted the text of one more source file, in `src/`
 */
export function declaredRows(planted: string): { declared: Declared[]; checker: ts.TypeChecker } {
  const program = openProgram(planted);
  const checker = program.getTypeChecker();
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(root, 'src')));
  const reader = new SqlReader(checker, files);
  const declared: Declared[] = [];
  const note = (call: ts.CallExpression): void => {
    const [statement] = call.arguments;
    const row = rowOf(call, checker);
    if (statement === undefined || row === undefined) return;
    const path = call.getSourceFile().fileName.slice(root.length + 1);
    const add = (type: ts.Type, scope = noScope): void => {
      for (const each of reader.readAll(statement, scope)) declared.push({ path, text: toText(each).text, row: type });
    };
    if (!row.isTypeParameter()) add(row);
    else for (const [type, scope] of argumentsOf(row, reader, checker)) add(type, scope);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) note(node);
    ts.forEachChild(node, visit);
  };
  for (const file of files) if (!file.fileName.endsWith('/queryable.ts')) visit(file);
  return { declared, checker };
}

/** The sources of the service, with the planted text as one more file. */
export function openProgram(planted: string): ts.Program {
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  const plantedName = join(root, 'src/planted.ts');
  host.getSourceFile = (name, languageVersion, ...rest) =>
    name === plantedName
      ? ts.createSourceFile(name, planted, languageVersion, true)
      : getSourceFile(name, languageVersion, ...rest);
  const sources = fileNames.filter((name) => name.startsWith(join(root, 'src')) && !name.endsWith('.test.ts'));
  return ts.createProgram([...sources, plantedName], options, host);
}

/** The row type of a call of `Queryable` or `Tx`; undefined for other calls. */
function rowOf(call: ts.CallExpression, checker: ts.TypeChecker): ts.Type | undefined {
  if (!ts.isPropertyAccessExpression(call.expression) || !readers.has(call.expression.name.text)) return undefined;
  const signature = checker.getResolvedSignature(call);
  if (!signature?.declaration?.getSourceFile().fileName.endsWith('/database/db.ts')) return undefined;
  return checker.getTypeArgumentsForResolvedSignature(signature)?.[0];
}

/** The types that the callers of a generic function give for its type parameter, and the scopes of these calls. */
function argumentsOf(parameter: ts.Type, reader: SqlReader, checker: ts.TypeChecker) {
  const declaration = parameter.symbol.declarations?.[0]?.parent;
  if (declaration === undefined || !ts.isFunctionDeclaration(declaration)) return [];
  const index = declaration.typeParameters?.findIndex(({ name }) => name.text === parameter.symbol.name) ?? -1;
  return reader.callsOf(declaration).flatMap((call) => {
    const signature = checker.getResolvedSignature(call);
    const type = signature && checker.getTypeArgumentsForResolvedSignature(signature)?.[index];
    const scope = reader.bind({ node: declaration, scope: noScope }, call.arguments, noScope);
    return type === undefined ? [] : [[type, scope] as const];
  });
}
