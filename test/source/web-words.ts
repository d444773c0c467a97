import { dirname, join } from 'node:path';
import ts from 'typescript';

/**
 * The files whose words the first page needs: the static imports of `first`, the parts that `soon` loads, and their
 * imports. Type imports and other lazy imports do not count.
 */
export function firstLoad(first: string, read: (path: string) => string): string[] {
  const found = new Set<string>();
  const open = [first];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path) || !/\.tsx?$/.test(path)) continue;
    found.add(path);
    for (const text of importsOf(treeOf(path, read(path))))
      if (text.startsWith('.')) open.push(join(dirname(path), text));
  }
  return [...found];
}

/** What a file imports before the first page, and what its calls of `soon` import. */
function importsOf(tree: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node, isSoon: boolean) => {
    // The grammar allows only a string here.
    if (ts.isImportDeclaration(node) && node.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword)
      found.push((node.moduleSpecifier as ts.StringLiteral).text);
    if (ts.isCallExpression(node)) {
      const [first] = node.arguments;
      if (isSoon && node.expression.kind === ts.SyntaxKind.ImportKeyword && first && ts.isStringLiteral(first))
        found.push(first.text);
      if (node.expression.getText() === 'soon') isSoon = true;
    }
    ts.forEachChild(node, (child) => visit(child, isSoon));
  };
  visit(tree, false);
  return found;
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
    if (isOfCommand(node)) for (const id of literalsIn(node)) whole.add(`command.${id}`);
    ts.forEachChild(node, visit);
  };
  visit(treeOf(path, text));
  return keys.filter((key) => whole.has(key) || patterns.some((pattern) => pattern.test(key)));
}

/** Whether a node names commands whose words a button shows: `commandProps('close')`, `<Field command="tags">`. */
function isOfCommand(node: ts.Node): boolean {
  if (ts.isCallExpression(node)) return node.expression.getText() === 'commandProps';
  return (
    ts.isJsxAttribute(node) && node.name.getText() === 'command' && node.parent.parent.tagName.getText() === 'Field'
  );
}

function literalsIn(node: ts.Node): string[] {
  const found = ts.isStringLiteralLike(node) ? [node.text] : [];
  ts.forEachChild(node, (child) => void found.push(...literalsIn(child)));
  return found;
}

/** A sentence of the words, or its plural forms. */
export type Sentence = string | Record<string, string>;

/**
 * The gaps of a translation: sentences, plural forms, and values that the sentence needs.
 * @param language whose plural forms the sentences must have
 */
export function faultsOf(
  original: Record<string, Sentence>,
  translation: Record<string, Sentence>,
  language: string,
): string[] {
  const faults = Object.keys(translation).flatMap((key) => (key in original ? [] : [`${key}: not in English`]));
  for (const [key, sentence] of Object.entries(original)) {
    const translated = translation[key];
    if (translated === undefined) faults.push(`${key}: no sentence`);
    else faults.push(...faultsOfSentence(sentence, translated, language).map((fault) => `${key}: ${fault}`));
  }
  return faults;
}

function faultsOfSentence(original: Sentence, translated: Sentence, language: string): string[] {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  const forms = typeof translated === 'string' ? { other: translated } : translated;
  const missing = typeof translated === 'string' ? [] : pluralCategories.filter((category) => !(category in forms));
  const needed = valuesOf(Object.values(typeof original === 'string' ? [original] : original));
  const given = valuesOf(Object.values(forms));
  return [
    ...missing.map((category) => `no form for "${category}"`),
    ...Object.values(forms).flatMap((form) => (form.trim() === '' ? ['empty'] : [])),
    // A plural form may leave out the number: "one file".
    ...[...needed].flatMap((value) => (given.has(value) ? [] : [`without {${value}}`])),
    ...[...given].flatMap((value) => (needed.has(value) || value === 'count' ? [] : [`unknown value {${value}}`])),
  ];
}

function valuesOf(sentences: readonly string[]): Set<string> {
  // The pattern has this group.
  return new Set(
    sentences.flatMap((sentence) => [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)),
  );
}

const shownAttributes = /^(?:title|alt|label|placeholder|aria-label|aria-description)$/;

function shownLiterals(node: ts.Node | undefined): string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return /\p{L}{2}/u.test(node.text) ? [node.text] : [];
  if (ts.isJsxExpression(node)) return shownLiterals(node.expression);
  return ts.isConditionalExpression(node) ? [...shownLiterals(node.whenTrue), ...shownLiterals(node.whenFalse)] : [];
}

/** Texts of a component that a person would read: text, and attributes that are shown or read aloud. */
export function literalTexts(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isJsxText(node) && /\p{L}{2}/u.test(node.text)) found.push(node.text.trim());
    if (ts.isJsxAttribute(node) && shownAttributes.test(node.name.getText()))
      found.push(...shownLiterals(node.initializer).filter((literal) => !/^[\w.]+\.\w+$/.test(literal)));
    ts.forEachChild(node, visit);
  };
  visit(treeOf(path, text));
  return found;
}

function isOfKey(written: readonly string[]): boolean {
  return written.every((part) => /^[\w.]*$/.test(part)) && written.some((part) => part.includes('.'));
}

const trees = new Map<string, ts.SourceFile>();

function treeOf(path: string, text: string): ts.SourceFile {
  const tree = trees.get(text) ?? ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  trees.set(text, tree);
  return tree;
}
