import { askedOf } from './fields.ts';
import { isGroup, type RuleDraft, type Term, termsOf } from './rule.ts';

/** Whether a rule says all that it begins: no condition waits for its words, and there is something to do. */
export function isComplete({ conditions, actions }: RuleDraft): boolean {
  return Object.keys(actions).length > 0 && (conditions === null || termsOf(conditions).every(isWhole));
}

function isWhole(term: Term): boolean {
  const asked = askedOf(term);
  if (asked === undefined) return !isGroup(term) || termsOf(term).every(isWhole);
  if ('values' in asked) return asked.values.length > 0;
  if ('calendarId' in asked) return asked.calendarId !== '';
  if (!('text' in asked)) return true;
  const { text, header } = asked;
  const values = 'matches' in text ? text.matches : 'is' in text ? text.is : text.has;
  return values.length > 0 && header !== '';
}
