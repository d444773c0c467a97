import { runWords } from '../../tickets/rules.ts';
import { type WordKey, words, wordsOr } from '../../words/words.ts';
import { type Asked, askedOf, isFlag } from './fields.ts';
import type { Preview } from './queries.ts';
import { isGroup, type RuleDraft, type Term, termsOf } from './rule.ts';
import { type Part, partsOf, type RuleNames, value, valuesText, valueWords } from './sentence.ts';

type Item = Preview['items'][number];

/** What the rule would do with the ticket of the event, or why it passes over it. */
export function resultParts(item: Item, draft: RuleDraft, names: RuleNames): Part[] {
  if (item.matched === null) return partsOf(words('rules.unknown'));
  if (item.matched) return partsOf(matchedText(item));
  const why = whyNot(item, draft, names);
  return partsOf(why === undefined ? words('rules.noWhy') : words('rules.no', { why }));
}

function matchedText({ wouldDo }: Item): string {
  if (wouldDo === null) return words('rules.matched');
  if (wouldDo.error !== null) return words('rules.matchedFails');
  if (wouldDo.mail?.withheld != null) return words('rules.matchedNoMail');
  if (wouldDo.did.length === 0) return words('rules.matchedNothing');
  return words('rules.matchedDid', { did: runWords({ outcome: 'done', did: wouldDo.did }) });
}

function whyNot({ because }: Item, draft: RuleDraft, names: RuleNames): string | undefined {
  if (because === null) return undefined;
  if (because.path === 'ticket') return words('rules.passedOver');
  if (because.path === 'ticket.spam') return words('rules.wasSpam');
  const term = termAt(draft, because.path);
  const asked = term && askedOf(term);
  return asked && seenText(asked, because.seen, names);
}

/** The condition that a path names, such as `conditions.any.1.all.0.ticket.priority`. */
function termAt({ conditions }: RuleDraft, path: string): Term | undefined {
  const [first, second] = [...path.matchAll(/\b(?:all|any)\.(\d+)/g)].map(([, at]) => Number(at));
  const term = conditions === null || first === undefined ? undefined : termsOf(conditions)[first];
  if (term === undefined || second === undefined || !isGroup(term) || askedOf(term) !== undefined) return term;
  return termsOf(term)[second];
}

type Seen = NonNullable<Item['because']>['seen'];

/** What was there in place of what the condition asks for. */
function seenText(asked: Asked, seen: Seen, names: RuleNames): string {
  const { field, not } = asked;
  if ('text' in asked) {
    const wanted = 'matches' in asked.text ? 'Pattern' : 'Words';
    return words(not ? `rules.found${wanted}` : `rules.missing${wanted}`);
  }
  // The opposite of what was asked for.
  const no = not ? '' : 'Not';
  if ('calendarId' in asked) return words(`rules.flag${no}.hours`, { value: value(names.calendar(asked.calendarId)) });
  if (isFlag(field)) return words(`rules.flag${no}.${field}` as WordKey);
  const found = seen === null ? [] : [seen].flat().map(String);
  const name = words(`rules.field.${field}` as WordKey);
  const texts = 'values' in asked ? found.map((one) => valueWords(asked.field, one, names)) : found.map(priorityName);
  if (texts.length === 0) return words('rules.wasNothing', { field: name });
  return words('rules.was', { field: name, value: valuesText(texts, 'conjunction') });
}

const priorityName = (one: string) => wordsOr(one, `priority.${one}`);
