import ts from 'typescript';
import { emptySql, joinSql, Sql, sql } from '../../src/ground/database/sql.ts';
import * as tableSql from '../../src/ground/database/table-sql.ts';
import { isFree, leaseColumn, leaseEnded, leaseTable } from '../../src/ground/queue/lease.ts';

/** An expression, and the arguments of the functions around it. */
type Part<Node extends ts.Node = ts.Expression> = { node: Node; scope: Scope };
type Scope = ReadonlyMap<ts.Symbol, Part>;
type FunctionNode = ts.FunctionDeclaration | ts.ArrowFunction;

export const noScope: Scope = new Map();
const parameter = sql`${null}`;
/** Conditions of a scope. Their place is marked, for `statement-scope.test.ts`. */
const scopeConditions = new Set(['visible', 'ofVisible']);
/** Functions that make a part from literals. */
const ofLeases = { isFree, leaseColumn, leaseEnded, leaseTable };
const makers = new Map<string, (...given: string[]) => Sql>(Object.entries({ ...tableSql, ...ofLeases }) as never);

/**
 * Puts statements together from the source, as the service does it at run time. Of two ways to build a part it takes
 * only one way. It leaves out a part that it cannot follow: either that part is optional, or PostgreSQL refuses the
 * statement.
 */
export class SqlReader {
  readonly #checker: ts.TypeChecker;
  readonly #calls = new Map<ts.Symbol, ts.CallExpression[]>();
  #turn = 0;
  #turns = 1;

  constructor(checker: ts.TypeChecker, files: readonly ts.SourceFile[]) {
    this.#checker = checker;
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
        const called = this.#symbolOf(node.expression);
        if (called !== undefined) this.#calls.set(called, [...(this.#calls.get(called) ?? []), node]);
      }
      ts.forEachChild(node, visit);
    };
    for (const file of files) visit(file);
  }

  callsOf({ name }: FunctionNode): readonly ts.CallExpression[] {
    const symbol = name && this.#symbolOf(name);
    return (symbol && this.#calls.get(symbol)) ?? [];
  }

  /** The statement for each table that a description may be of. */
  readAll(node: ts.Expression, scope: Scope): Sql[] {
    const found: Sql[] = [];
    this.#turns = 1;
    for (this.#turn = 0; this.#turn < this.#turns; this.#turn++) found.push(this.read(node, scope));
    return found;
  }

  read(node: ts.Expression, scope: Scope): Sql {
    if (!this.#isSql(node)) return parameter;
    if (ts.isParenthesizedExpression(node)) return this.read(node.expression, scope);
    if (ts.isTaggedTemplateExpression(node)) return this.#readTemplate(node.template, scope);
    if (ts.isConditionalExpression(node)) return this.#readOneOf([node.whenTrue, node.whenFalse], scope);
    if (ts.isBinaryExpression(node)) return this.#readOneOf([node.right, node.left], scope);
    if (ts.isCallExpression(node)) return this.#readCall(node, scope);
    const value = this.#valueOf(node, scope);
    return value === undefined ? emptySql : this.read(value.node, value.scope);
  }

  /** The scope within a function when it is called with these arguments. */
  bind(called: Part<FunctionNode>, given: readonly ts.Expression[], scope: Scope): Scope {
    const bound = new Map([...called.scope, ...scope]);
    const put = (name: ts.Identifier, value: Part | undefined): void => {
      const symbol = this.#symbolOf(name);
      if (symbol !== undefined && value !== undefined) bound.set(symbol, value);
    };
    for (const [index, { name, initializer }] of called.node.parameters.entries()) {
      const node = given[index] ?? initializer;
      if (node === undefined) continue;
      if (ts.isIdentifier(name)) put(name, { node, scope });
      else {
        const object = this.#objectOf(node, scope);
        for (const element of name.elements)
          if (object !== undefined && ts.isBindingElement(element) && ts.isIdentifier(element.name)) {
            const given = this.#memberOf(object, (element.propertyName ?? element.name).getText());
            put(element.name, given ?? (element.initializer && { node: element.initializer, scope: bound }));
          }
      }
    }
    return bound;
  }

  #readTemplate(template: ts.TemplateLiteral, scope: Scope): Sql {
    if (ts.isNoSubstitutionTemplateLiteral(template)) return new Sql([template.text], []);
    const strings = [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)];
    return new Sql(
      strings,
      template.templateSpans.map(({ expression }) => this.read(expression, scope)),
    );
  }

  #readOneOf(nodes: readonly ts.Expression[], scope: Scope): Sql {
    const node = nodes.find((each) => this.#isSql(each));
    return node === undefined ? emptySql : this.read(node, scope);
  }

  #readCall({ expression, arguments: given }: ts.CallExpression, scope: Scope): Sql {
    const name = expression.getText();
    const [first, second] = given;
    if (first !== undefined && (name === 'quick' || name === 'plannedAnew')) return this.read(first, scope);
    if (first !== undefined && name === 'joinSql') {
      const parts = this.#listOf(first, scope).map((part) => this.read(part.node, part.scope));
      return joinSql(parts.length === 0 ? [sql`true`] : parts, second?.getText() === "', '" ? ', ' : ' and ');
    }
    if (second !== undefined && scopeConditions.has(name))
      return new Sql([`true /* ${name} ${this.#literalOf(second, scope)} */`], []);
    const make = makers.get(name);
    if (make !== undefined) return make(...given.map((each) => this.#literalOf(each, scope)));
    const called = this.#functionOf(expression, scope);
    const result = called && resultOf(called.node);
    return called && result ? this.read(result, this.bind(called, given, scope)) : emptySql;
  }

  /** The literal that an argument is. Of several that a caller may give, it takes that of this turn. */
  #literalOf(node: ts.Expression, scope: Scope): string {
    const symbol = this.#symbolOf(node);
    const bound = symbol && scope.get(symbol);
    if (bound !== undefined) return this.#literalOf(bound.node, bound.scope);
    const type = this.#checker.getTypeAtLocation(node);
    const literals = (type.isUnion() ? type.types : [type]).filter((each) => each.isStringLiteral());
    this.#turns = Math.max(this.#turns, literals.length);
    const literal = literals[this.#turn % literals.length];
    if (literal === undefined) throw new Error(`${node.getText()} is no literal`);
    return literal.value;
  }

  /** The known elements of a list. */
  #listOf(node: ts.Expression, scope: Scope): Part[] {
    if (ts.isArrayLiteralExpression(node))
      return node.elements.filter((each) => !ts.isSpreadElement(each)).map((each) => ({ node: each, scope }));
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [mapped] = node.arguments;
      if (mapped === undefined || !ts.isArrowFunction(mapped)) return [];
      const result = resultOf(mapped);
      if (result === undefined) return [];
      const elements = this.#listOf(node.expression.expression, scope);
      return elements.map((each) => ({
        node: result,
        scope: this.bind({ node: mapped, scope }, [each.node], each.scope),
      }));
    }
    const value = this.#valueOf(node, scope);
    return value === undefined ? [] : this.#listOf(value.node, value.scope);
  }

  /** The value of a name: an argument, a constant, or the argument of the function's first caller. */
  #valueOf(node: ts.Expression, scope: Scope): Part | undefined {
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
      const object = this.#objectOf(node.expression, scope);
      return object && this.#memberOf(object, ts.isPropertyAccessExpression(node) ? node.name.text : undefined);
    }
    const symbol = this.#symbolOf(node);
    const [declaration] = symbol?.declarations ?? [];
    if (symbol === undefined || declaration === undefined) return undefined;
    const bound = scope.get(symbol);
    if (bound !== undefined) return bound;
    if (ts.isVariableDeclaration(declaration) && declaration.initializer !== undefined)
      return { node: declaration.initializer, scope };
    const within = ts.findAncestor(declaration, ts.isFunctionDeclaration);
    const [call] = within ? this.callsOf(within) : [];
    return within && call && this.bind({ node: within, scope: noScope }, call.arguments, noScope).get(symbol);
  }

  /** A member of an object; without a name, the first. */
  #memberOf({ node, scope }: Part<ts.ObjectLiteralExpression>, name: string | undefined): Part | undefined {
    const member = node.properties.find((each) => name === undefined || each.name?.getText() === name);
    if (member && ts.isShorthandPropertyAssignment(member)) return { node: member.name, scope };
    if (member && ts.isPropertyAssignment(member)) return { node: member.initializer, scope };
    const spread = node.properties.find(ts.isSpreadAssignment);
    const object = spread && this.#objectOf(spread.expression, scope);
    return object && this.#memberOf(object, name);
  }

  #objectOf(node: ts.Expression, scope: Scope): Part<ts.ObjectLiteralExpression> | undefined {
    if (ts.isObjectLiteralExpression(node)) return { node, scope };
    if (ts.isParenthesizedExpression(node)) return this.#objectOf(node.expression, scope);
    if (ts.isBinaryExpression(node)) return this.#objectOf(node.right, scope);
    if (ts.isCallExpression(node)) {
      const called = this.#functionOf(node.expression, scope);
      const result = called && resultOf(called.node);
      return called && result && this.#objectOf(result, this.bind(called, node.arguments, scope));
    }
    const value = this.#valueOf(node, scope);
    return value && this.#objectOf(value.node, value.scope);
  }

  #functionOf(node: ts.Expression, scope: Scope): Part<FunctionNode> | undefined {
    if (ts.isArrowFunction(node)) return { node, scope };
    const [declaration] = this.#symbolOf(node)?.declarations ?? [];
    if (declaration && ts.isFunctionDeclaration(declaration)) return { node: declaration, scope };
    const value = this.#valueOf(node, scope);
    return value && this.#functionOf(value.node, value.scope);
  }

  #isSql(node: ts.Expression): boolean {
    const type = this.#checker.getTypeAtLocation(node);
    return (type.isUnion() ? type.types : [type]).some(({ symbol }) => symbol?.name === 'Sql');
  }

  #symbolOf(node: ts.Node): ts.Symbol | undefined {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.#checker.getSymbolAtLocation(node);
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }
}

/** The first result of a function. */
function resultOf({ body }: FunctionNode): ts.Expression | undefined {
  if (body === undefined || !ts.isBlock(body)) return body;
  const find = (node: ts.Node): ts.Expression | undefined => {
    if (ts.isReturnStatement(node)) return node.expression;
    return ts.isFunctionLike(node) ? undefined : ts.forEachChild(node, find);
  };
  return ts.forEachChild(body, find);
}
