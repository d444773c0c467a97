import { escapeHtml, escapeText } from '@kontor/mail/html/html-text.ts';
import { joinSafe } from '../../ground/lib/html/safe-html.ts';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import { firstCodePoints } from '../../ground/lib/text.ts';

/** The variables of texts that customers see. */
export const variableNames = [
  'contact.firstName',
  'contact.name',
  'contact.email',
  'ticket.number',
  'ticket.subject',
  'ticket.url',
  'agent.name',
  'agent.firstName',
  'agent.email',
  'mailbox.name',
  'mailbox.address',
  'workspace.name',
  'today',
] as const;
export type VariableName = (typeof variableNames)[number];

/** Why a variable has no value. */
export const missingReasons = ['no_contact', 'no_name', 'no_ticket'] as const;
export type MissingReason = (typeof missingReasons)[number];
export type MissingVariable = { variable: VariableName; reason: MissingReason };

/** The value of each variable, or why it has none. */
export type VariableValues = Record<VariableName, { value: string } | { missing: MissingReason }>;

/** `{{ contact.firstName | default: "there" }}`. Editors write typographic quotes; stored HTML may escape quotes. */
const quote = `(?:["'“”„]|&quot;)`;
const fallback = String.raw`\|\s*default:\s*${quote}([^{}<>"“”]{0,200}?)${quote}\s*`;
const placeholder = new RegExp(String.raw`\{\{\s*([a-zA-Z]+(?:\.[a-zA-Z]+)?)\s*(?:${fallback})?\}\}`, 'g');

/** Anything in double braces. */
const braces = /\{\{([^{}]*)\}\}/g;

const isVariable = (name: string): name is VariableName => (variableNames as readonly string[]).includes(name);
const groups = new Set(variableNames.map((name) => name.split('.')[0]));
/** What a variable of any program looks like: `requester.name`, `name | upcase`. Blocks and sentences do not. */
const variableLike = /^[\p{L}_][\p{L}\p{N}_.-]*(?:\s*\|.*)?$/u;

/** How many placeholders a text may have. Together with the length of values, it bounds the length of an answer. */
export const placeholdersMax = 200;
const valueCodePointsMax = 200;

/** The number of placeholders in a text, and its unknown variables, such as mistyped names. */
export function placeholdersIn(text: string): { count: number; unknown: string[] } {
  const count = [...text.matchAll(placeholder)].length;
  const withoutVariables = text.replace(placeholder, (whole, name: string) => (isVariable(name) ? '' : whole));
  const others = [...withoutVariables.matchAll(braces)].map(([, inside = '']) => plainText(inside));
  return { count, unknown: [...new Set(others.filter(isLikeVariable))] };
}

const unknownCharsMax = 60;
const plainText = (html: string) =>
  html
    .replace(/<[^<>]*>/g, '')
    .trim()
    .slice(0, unknownCharsMax);
const isLikeVariable = (inside: string) =>
  groups.has(/^\p{L}*/u.exec(inside)?.[0].toLowerCase() ?? '') || variableLike.test(inside);

/** A text with values in place of variables. Variables without value and default stay, and are listed. */
export type Filled = { text: string; missing: MissingVariable[] };

export function fillText(text: string, values: VariableValues): Filled {
  return fill(text, values, (value) => value);
}

/**
 * Gives safe HTML without parsing it as a whole: a value between tags is escaped, and each tag with a value passes the
 * sanitizer alone.
 * @param html as `sanitizeHtml` returns it, with at most `placeholdersMax` placeholders
 */
export function fillHtml(html: string, values: VariableValues): Filled {
  // A placeholder has no angle brackets, so it stands within one tag or between tags.
  const parts = html
    .split(tag)
    .map((part) => ({ part, ...fill(part, values, part.startsWith('<') ? escapeHtml : escapeText) }));
  const texts = parts.map(({ part, text }) => (text !== part && part.startsWith('<') ? safeTag(text) : text));
  const missing = new Map(parts.flatMap((each) => each.missing.map(({ variable, reason }) => [variable, reason])));
  return { text: joinSafe(texts.join('')), missing: [...missing].map(([variable, reason]) => ({ variable, reason })) };
}

const tag = /(<[^<>]*>)/;

/** Without the end tag that the sanitizer adds. */
function safeTag(html: string): string {
  const safe = sanitizeHtml(html, { keepsMentions: true });
  return safe.slice(0, safe.indexOf('>') + 1);
}

/** Reads the text once, so a value never acts as a placeholder. */
function fill(text: string, values: VariableValues, toText: (value: string) => string): Filled {
  const missing = new Map<VariableName, MissingReason>();
  const filled = text.replace(placeholder, (whole, name: string, standIn: string | undefined) => {
    if (!isVariable(name)) return whole;
    const found = values[name];
    if ('value' in found) return toText(plainValue(found.value));
    if (standIn !== undefined) return standIn;
    missing.set(name, found.missing);
    return whole;
  });
  return { text: filled, missing: [...missing].map(([variable, reason]) => ({ variable, reason })) };
}

/** Strangers choose names and subjects: control and direction-changing characters go, and braces mean nothing. */
function plainValue(value: string): string {
  const line = value
    .toWellFormed()
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\s]+/gu, ' ')
    .replace(/\{(?=\{)/g, '{ ')
    .trim();
  return firstCodePoints(line, valueCodePointsMax);
}
