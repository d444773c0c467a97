import type { Names } from '../../tickets/filters.ts';
import { spokenLocale, type WordKey, words, wordsOr } from '../../words/words.ts';
import { type Asked, askedOf } from './fields.ts';
import {
  type Condition,
  type Conditions,
  type Group,
  isGroup,
  matchOf,
  type RuleActions,
  type RuleDraft,
  type Term,
  type Trigger,
  termsOf,
} from './rule.ts';
import { nameOfTrigger, spanOf, units } from './triggers.ts';

/** The names of what rules name by its id. */
export type RuleNames = Names & Record<'calendar' | 'reply' | 'webhook', (id: string) => string>;

/** A piece of a sentence. Values stand out. */
export type Part = { text: string; isValue: boolean };

// No text has these signs. They keep the place of values through the sentences of `words`.
const [open, shut] = ['\uE000', '\uE001'];
/** Marks a value in a sentence, for `partsOf`. */
export const value = (text: string) => `${open}${text}${shut}`;

/** What a rule does, as one sentence in the language of the page. */
export function sentenceOf(
  rule: Pick<RuleDraft, 'trigger' | 'conditions' | 'actions' | 'stopAfter'>,
  names: RuleNames,
) {
  const asked = rule.conditions === null ? [] : termsOf(rule.conditions);
  const first = clauseOfTrigger(rule.trigger, names, asked.length > 0);
  const conditions = conditionsText(rule.conditions, names, first !== undefined);
  const clauses = [first, conditions].filter((clause) => clause !== undefined);
  const done = [...actionTexts(rule.actions, names), ...(rule.stopAfter ? [words('rules.do.stop')] : [])];
  const actions = done.length === 0 ? words('rules.do.nothing') : listed(done, 'conjunction');
  return partsOf(words('rules.sentence', { clauses: listed(clauses, 'conjunction'), actions }));
}

export const plainOf = (parts: readonly Part[]) => parts.map(({ text }) => text).join('');

/** The pieces of a sentence in which values are marked. */
export function partsOf(text: string): Part[] {
  // Every other piece is a value, as each one has a beginning and an end.
  return text
    .split(/[\uE000\uE001]/)
    .map((piece, at) => ({ text: piece, isValue: at % 2 === 1 }))
    .filter((part) => part.text !== '');
}

/** Items with commas, and the word before the last. */
function listed(texts: readonly string[], type: 'conjunction' | 'disjunction'): string {
  return new Intl.ListFormat(spokenLocale(), { type }).format(texts);
}

export const valuesText = (values: readonly string[], type: 'conjunction' | 'disjunction' = 'disjunction') =>
  values.length === 0 ? value('…') : listed(values.map(value), type);

/** A message that arrives needs no words beside conditions, as its rules stand below that heading. */
function clauseOfTrigger(trigger: Trigger, names: RuleNames, hasConditions: boolean): string | undefined {
  if ('after' in trigger) {
    const span = value(spanWords(trigger.after));
    const { calendarId } = trigger;
    const time =
      calendarId == null ? span : words('rules.timeIn', { time: span, calendar: value(names.calendar(calendarId)) });
    return words(`rules.since.${trigger.since}`, { time });
  }
  const name = nameOfTrigger(trigger);
  if (name === undefined) return words('rules.on.other', { event: value(trigger.event) });
  return name === 'arrives' && hasConditions ? undefined : words(`rules.on.${name}` as WordKey);
}

function spanWords(after: string): string {
  const { count, unit } = spanOf(after);
  return new Intl.NumberFormat(spokenLocale(), { style: 'unit', unit: units[unit], unitDisplay: 'long' }).format(count);
}

function conditionsText(conditions: Conditions | null, names: RuleNames, isBeside: boolean): string | undefined {
  const terms = conditions === null ? [] : termsOf(conditions);
  if (conditions === null || terms.length === 0) return undefined;
  const text = groupText(conditions, names);
  return isBeside && terms.length > 1 && matchOf(conditions) === 'any' ? `(${text})` : text;
}

function groupText(group: Group<Term>, names: RuleNames): string {
  const texts = termsOf(group).map((term) => termText(term, names));
  return listed(texts, matchOf(group) === 'all' ? 'conjunction' : 'disjunction');
}

function termText(term: Term, names: RuleNames): string {
  const asked = askedOf(term);
  if (asked !== undefined) return clauseOf(asked, names);
  return isGroup(term) ? `(${groupText(term, names)})` : otherText(term);
}

/** What only a program writes, by its names in the API. */
function otherText(term: Condition): string {
  const { not, ...part } = term;
  const [fields] = Object.values(part);
  const text = value(JSON.stringify(fields));
  return words(not === true ? 'rules.otherNot' : 'rules.other', { value: text });
}

/** The words of a condition in the page's language, for the list and for those that the editor only shows. */
export function termParts(term: Term, names: RuleNames): Part[] {
  return partsOf(termText(term, names));
}

function clauseOf(asked: Asked, names: RuleNames): string {
  const { field, not } = asked;
  const no = not ? 'Not' : '';
  if ('text' in asked) {
    const { text, header = '' } = asked;
    const name = words(`rules.field.${asked.field}`, { name: value(header === '' ? '…' : header) });
    if ('matches' in text) return words(`rules.matches${no}`, { field: name, value: value(text.matches) });
    const [operator, values] = 'is' in text ? (['is', text.is] as const) : (['has', text.has] as const);
    return words(`rules.${operator}${no}`, { field: name, value: valuesText(values) });
  }
  if ('values' in asked) return clauseOfValues(asked, names);
  if ('calendarId' in asked) return words(`rules.flag${no}.hours`, { value: value(names.calendar(asked.calendarId)) });
  if ('value' in asked) {
    const priority = value(wordsOr(asked.value, `priority.${asked.value}`));
    return words(`rules.is${no}`, { field: words('rules.field.priority'), value: priority });
  }
  return words(`rules.flag${no}.${field}` as WordKey);
}

function clauseOfValues({ field, not, values }: Extract<Asked, { values: string[] }>, names: RuleNames): string {
  const no = not ? 'Not' : '';
  if (field === 'tags') return words(`rules.flag${no}.tags`, { value: valuesText(values, 'conjunction') });
  const isNone = values.length === 1 && values[0] === 'none';
  if (isNone && field === 'assignee') return words(`rules.flag${no}.nobody`);
  if (isNone && field === 'team') return words(`rules.flag${no}.noTeam`);
  const text = valuesText(values.map((one) => valueWords(field, one, names)));
  return words(`rules.is${no}`, { field: words(`rules.field.${field}`), value: text });
}

/** A value of a condition as people know it. */
export function valueWords(
  field: Extract<Asked, { values: string[] }>['field'],
  one: string,
  names: RuleNames,
): string {
  switch (field) {
    case 'status':
      return wordsOr(one, `status.${one}`);
    case 'assignee':
      return one === 'none' ? words('ticket.nobody') : names.person(one);
    case 'team':
      return one === 'none' ? words('ticket.noTeam') : names.team(one);
    case 'mailbox':
      return names.mailbox(one);
    case 'verdict':
      return wordsOr(one, `rules.verdict.${one}`);
    default:
      return one;
  }
}

/** One phrase for each action, in the order in which they read well. */
function actionTexts(actions: RuleActions, names: RuleNames): string[] {
  const {
    status,
    assignee,
    teamId,
    mailboxId,
    priority,
    snoozeHours,
    archive,
    addTags = [],
    removeTags = [],
  } = actions;
  const { spam, reply, note, notify, webhookId } = actions;
  const phrase = (key: WordKey, text?: string) => [words(key, text === undefined ? {} : { value: value(text) })];
  return [
    ...(addTags.length > 0 ? [words('rules.do.tag', { value: valuesText(addTags, 'conjunction') })] : []),
    ...(removeTags.length > 0 ? [words('rules.do.untag', { value: valuesText(removeTags, 'conjunction') })] : []),
    ...(teamId == null ? [] : phrase('rules.do.team', names.team(teamId))),
    ...(teamId === null ? phrase('rules.do.noTeam') : []),
    ...(assignee === 'none' ? phrase('rules.do.unassign') : []),
    ...(assignee === undefined || assignee === 'none' ? [] : phrase('rules.do.assign', names.person(assignee))),
    ...(priority === undefined ? [] : phrase('rules.do.priority', wordsOr(priority, `priority.${priority}`))),
    ...(mailboxId == null ? [] : phrase('rules.do.mailbox', names.mailbox(mailboxId))),
    ...(spam === undefined ? [] : phrase(spam ? 'rules.do.spam' : 'rules.do.notSpam')),
    ...(reply === undefined ? [] : phrase('rules.do.reply', names.reply(reply.savedReplyId))),
    ...(note === undefined ? [] : phrase('rules.do.note')),
    ...(notify === undefined ? [] : [words('rules.do.tell', { value: toldText(notify, names) })]),
    ...(webhookId === undefined ? [] : phrase('rules.do.webhook', names.webhook(webhookId))),
    ...(snoozeHours === undefined ? [] : phrase('rules.do.snooze', spanWords(hoursSpan(snoozeHours)))),
    ...(archive === undefined ? [] : phrase(archive ? 'rules.do.archive' : 'rules.do.unarchive')),
    ...(status === undefined ? [] : phrase(`rules.do.${status}`)),
  ];
}

const hoursSpan = (hours: number) => (hours % 24 === 0 ? `${hours / 24}d` : `${hours}h`);

function toldText({ assignee, teamId, userIds = [] }: NonNullable<RuleActions['notify']>, names: RuleNames): string {
  return valuesText(
    [
      ...(assignee === true ? [words('rules.theAssignee')] : []),
      ...(teamId === undefined ? [] : [names.team(teamId)]),
      ...userIds.map(names.person),
    ],
    'conjunction',
  );
}
