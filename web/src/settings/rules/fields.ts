import { type Condition, type Group, groupOf, isGroup, matchOf, type Term, type Text, termsOf } from './rule.ts';

/** What a condition asks about, as a person chooses it. */

/** A text of the message. `subjectOrBody` is two conditions of the API, of which one must hold. */
const textFields = ['subjectOrBody', 'subject', 'body', 'from', 'to', 'attachmentName', 'header'] as const;
/** One of several values. */
const choiceFields = ['mailbox', 'status', 'assignee', 'team', 'verdict'] as const;
const listFields = ['fromDomain', 'tags'] as const;
/** It is so, or it is not. */
const flagFields = ['isFirst', 'hasAttachment', 'snoozed', 'archived', 'undelivered'] as const;

export type TextField = (typeof textFields)[number];
export type ChoiceField = (typeof choiceFields)[number];
type ListField = (typeof listFields)[number];
export type FlagField = (typeof flagFields)[number];
export type FieldName = TextField | ChoiceField | ListField | FlagField | 'priority' | 'hours';

/** In the order of the menu: the message first, then its ticket, then the time. */
export const fieldNames: readonly FieldName[] = [
  ...(['subjectOrBody', 'subject', 'body', 'from', 'fromDomain', 'to', 'isFirst'] as const),
  ...(['attachmentName', 'header', 'verdict'] as const),
  ...(['mailbox', 'status', 'priority', 'assignee', 'team', 'tags', 'hasAttachment', 'snoozed', 'archived'] as const),
  ...(['undelivered', 'hours'] as const),
];

/** Those about the message say nothing when time passes. */
const ofMessage: ReadonlySet<FieldName> = new Set([...textFields, 'fromDomain', 'isFirst', 'verdict']);
export const fieldsFor = (part: 'message' | 'change' | 'time') =>
  fieldNames.filter((name) => part === 'message' || !ofMessage.has(name));

export const isText = (name: FieldName): name is TextField => (textFields as readonly string[]).includes(name);
const isChoice = (name: FieldName): name is ChoiceField => (choiceFields as readonly string[]).includes(name);
const isList = (name: FieldName): name is ListField => (listFields as readonly string[]).includes(name);
export const isFlag = (name: FieldName): name is FlagField => (flagFields as readonly string[]).includes(name);

/** What a condition says, for the fields that the editor knows. */
export type Asked =
  | { field: TextField; not: boolean; text: Text; header?: string }
  | { field: ChoiceField | ListField; not: boolean; values: string[] }
  | { field: 'priority'; not: boolean; value: string }
  | { field: FlagField; not: boolean }
  | { field: 'hours'; not: boolean; calendarId: string };

const undeliveredStatuses = ['failed', 'bounced', 'uncertain'];

/** @returns undefined for a group, and for what only a program writes, such as several filters in one condition */
export function askedOf(term: Term): Asked | undefined {
  if (isGroup(term)) return subjectOrBodyOf(term);
  const not = term.not === true;
  if ('hours' in term) {
    const { calendarId, isOpen } = term.hours;
    return { field: 'hours', not: not === isOpen, calendarId };
  }
  const [only, ...others] = Object.entries('ticket' in term ? term.ticket : term.message);
  if (only === undefined || others.length > 0) return undefined;
  const [name, value] = only;
  return 'ticket' in term ? ofTicket(name, value, not) : ofTheMessage(name, value, not);
}

function ofTicket(name: string, value: unknown, not: boolean): Asked | undefined {
  if (name === 'delivery') return same(value, undeliveredStatuses) ? { field: 'undelivered', not } : undefined;
  if (name === 'archived') return value === 'any' ? undefined : { field: name, not: not === (value === 'true') };
  if (name === 'snoozed' || name === 'hasAttachment') return { field: name, not: not === (value === true) };
  if (name === 'priority') return { field: name, not, value: String(value) };
  const field = [...choiceFields, ...listFields].find((one) => one === name);
  return field === undefined || !Array.isArray(value) ? undefined : { field, not, values: value };
}

function ofTheMessage(name: string, value: unknown, not: boolean): Asked | undefined {
  if (name === 'isFirst') return { field: name, not: not === (value === true) };
  if (Array.isArray(value)) {
    const field = ([...choiceFields, ...listFields] as const).find((one) => one === name);
    return field === undefined ? undefined : { field, not, values: value };
  }
  const field = textFields.find((one) => one === name);
  if (field === undefined || typeof value !== 'object' || value === null) return undefined;
  const { name: header, ...text } = value as Text & { name?: string };
  // A program can also ask whether a header is there.
  if (Object.keys(text).length !== 1) return undefined;
  return { field, not, text: text as Text, ...(header !== undefined && { header }) };
}

/** Two conditions with the same words, of which one asks the subject and the other the text. */
function subjectOrBodyOf(group: Group<Condition>): Asked | undefined {
  const [one, other, ...others] = termsOf(group).map((term) => askedOf(term));
  if (one === undefined || other === undefined || others.length > 0) return undefined;
  if (one.field !== 'subject' || other.field !== 'body' || one.not !== other.not) return undefined;
  // Neither of the two: both are denied, and both must hold.
  if (matchOf(group) !== (one.not ? 'all' : 'any') || !same(one.text, other.text)) return undefined;
  return { field: 'subjectOrBody', not: one.not, text: one.text };
}

/** The condition in the shape of the API. */
export function termOf(asked: Asked): Term {
  const { field } = asked;
  const not = asked.not && { not: true as const };
  if ('text' in asked) {
    const { text, header = '' } = asked;
    if (field === 'subjectOrBody') {
      const both: Condition[] = [
        { message: { subject: text }, ...not },
        { message: { body: text }, ...not },
      ];
      return groupOf(asked.not ? 'all' : 'any', both);
    }
    return { message: { [field]: field === 'header' ? { name: header, ...text } : text }, ...not };
  }
  if ('values' in asked) {
    const part = { [field]: asked.values };
    return { ...(isOfMessage(field) ? { message: part } : { ticket: part }), ...not };
  }
  if ('calendarId' in asked) return { hours: { calendarId: asked.calendarId, isOpen: !asked.not } };
  if ('value' in asked) return { ticket: { priority: asked.value }, ...not };
  return flagTerm(asked.field, asked.not);
}

function flagTerm(field: FlagField, not: boolean): Condition {
  if (field === 'isFirst') return { message: { isFirst: !not } };
  if (field === 'undelivered') return { ticket: { delivery: undeliveredStatuses }, ...(not && { not: true }) };
  return { ticket: { [field]: field === 'archived' ? String(!not) : !not } };
}

export const isOfMessage = (field: FieldName) => ofMessage.has(field);

/** A condition to begin with. @param calendarId of the first calendar */
export function newAsked(field: FieldName, calendarId: string): Asked {
  const not = false;
  if (isText(field)) {
    const text: Text = field === 'from' || field === 'to' ? { is: [] } : { has: [] };
    return { field, not, text, ...(field === 'header' && { header: '' }) };
  }
  if (isChoice(field) || isList(field)) return { field, not, values: [] };
  if (isFlag(field)) return { field, not };
  return field === 'hours' ? { field, not, calendarId } : { field, not, value: 'high' };
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
