import ts from 'typescript';

/** One small fault that a test should notice: it replaces the text from `start` to `end`. */
export type Mutation = { start: number; end: number; line: number; before: string; after: string };

const swapped: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.LessThanToken]: '>=',
  [ts.SyntaxKind.LessThanEqualsToken]: '>',
  [ts.SyntaxKind.GreaterThanToken]: '<=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '<',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
};

/**
 * Finds every possible mutation of a source file: a reversed comparison, `and` for `or`, plus for minus, a dropped
 * `await` or `!`, a flipped boolean, and a condition that is never true.
 */
export function mutationsOf(text: string): Mutation[] {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const add = (start: number, end: number, after: string) => {
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ start, end, line, before: text.slice(start, end), after });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const { operatorToken } = node;
      const after = swapped[operatorToken.kind];
      if (after !== undefined && !isTextSum(node)) add(operatorToken.getStart(file), operatorToken.getEnd(), after);
    } else if (ts.isAwaitExpression(node)) add(node.getStart(file), node.expression.getStart(file), '');
    else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node.getStart(file), node.operand.getStart(file), '');
    else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node.getStart(file), node.getEnd(), 'false');
    else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node.getStart(file), node.getEnd(), 'true');
    else if (ts.isIfStatement(node)) add(node.expression.getStart(file), node.expression.getEnd(), 'false');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** `-` between texts is not a mistake that people make. */
function isTextSum({ operatorToken, left, right }: ts.BinaryExpression): boolean {
  const isText = (node: ts.Node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
  return operatorToken.kind === ts.SyntaxKind.PlusToken && (isText(left) || isText(right));
}

export function mutate(text: string, { start, end, after }: Mutation): string {
  return text.slice(0, start) + after + text.slice(end);
}
