import ts from 'typescript';
import type { SourceFile } from './boundaries.ts';

/** A line that the code may log. */
export type LogLine = {
  path: string;
  levels: string[];
  /** Values are shown as `…`. */
  message: string;
  /** The fields that the call names itself. */
  fields: string[];
  /** Whether the call spreads an object, whose fields it does not name. */
  hasFurther: boolean;
};

const levels = ['info', 'warn', 'error', 'fatal'];

/** Reads every call of a logger whose message is a text. Lines at `debug` are for developers, and left out. */
export function logLinesOf({ path, text }: SourceFile): LogLine[] {
  const lines: LogLine[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) lines.push(...lineOf(path, node));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return lines;
}

function lineOf(path: string, { expression, arguments: given }: ts.CallExpression): LogLine[] {
  const called = levelsOf(expression);
  const last = given.at(-1);
  const message = last === undefined ? [] : messagesOf(last);
  if (called.length === 0 || message.length === 0) return [];
  const [first] = given;
  const properties = first !== undefined && ts.isObjectLiteralExpression(first) ? [...first.properties] : [];
  const fields = properties.flatMap(({ name }) => (name === undefined ? [] : [name.getText()]));
  const isNamed = first !== undefined && ts.isObjectLiteralExpression(first);
  const hasFurther = given.length > 1 && (!isNamed || properties.some(ts.isSpreadAssignment));
  return message.map((each) => ({ path, levels: called, message: each, fields, hasFurther }));
}

/** The levels at which a call logs: `log.info` or `log[isLast ? 'error' : 'warn']`. */
function levelsOf(called: ts.Expression): string[] {
  const isLog = (of: ts.Expression) => /log$/i.test(of.getText());
  if (ts.isPropertyAccessExpression(called) && isLog(called.expression))
    return levels.filter((level) => level === called.name.text);
  if (ts.isElementAccessExpression(called) && isLog(called.expression))
    return levels.filter((level) => called.argumentExpression.getText().includes(`'${level}'`));
  return [];
}

/** One text for each way of a condition. */
function messagesOf(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [...messagesOf(node.whenTrue), ...messagesOf(node.whenFalse)];
  if (!ts.isTemplateExpression(node)) return [];
  return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')];
}
