import type { operations } from '../../api/schema.d.ts';
import { caseKey } from '../../tickets/filters.ts';
import { words } from '../../words/words.ts';
import type { ReplyActions } from '../replies/reply-fields.ts';

export type Rule = operations['readRule']['responses'][200]['content']['application/json'];

/** A rule as its editor has it, in the shape of the API. */

export type Trigger =
  | { event: string; direction?: Direction; by?: By[] }
  | { after: string; since: Since; calendarId?: string | null };
type Direction = 'inbound' | 'outbound' | 'internal';
type By = 'customer' | 'agent' | 'machine';
export type Since = 'waitingSince' | 'lastAnswer' | 'created' | 'statusChanged';

export type Text = { is: string[] } | { has: string[] } | { matches: string };
type TicketPart = Record<string, string | boolean | string[]>;
type MessagePart = Record<string, string[] | boolean | Text | (Text & { name: string })>;
export type Condition =
  | { ticket: TicketPart; not?: boolean }
  | { message: MessagePart; not?: boolean }
  | { hours: { calendarId: string; isOpen: boolean }; not?: boolean };
export type Group<Item> = { all: Item[] } | { any: Item[] };
export type Term = Condition | Group<Condition>;
export type Conditions = Group<Term>;

export type RuleActions = Omit<ReplyActions, 'follow'> & {
  spam?: boolean;
  reply?: { savedReplyId: string; to: 'requester' };
  note?: string;
  notify?: { assignee?: boolean; teamId?: string; userIds?: string[] };
  webhookId?: string;
};

type RuleBody = operations['createRule']['requestBody']['content']['application/json'];
export type RuleDraft = {
  name: string;
  trigger: Trigger;
  /** Null: always. */
  conditions: Conditions | null;
  actions: RuleActions;
  stopAfter: boolean;
  onRules: boolean;
};

export const isGroup = <Item>(term: Condition | Group<Item>): term is Group<Item> => 'all' in term || 'any' in term;
export const matchOf = (group: Group<unknown>) => ('all' in group ? 'all' : 'any');
export const termsOf = <Item>(group: Group<Item>): Item[] => ('all' in group ? group.all : group.any);
export const groupOf = <Item>(match: 'all' | 'any', terms: Item[]): Group<Item> =>
  match === 'all' ? { all: terms } : { any: terms };

/** Where the rule stands on the page. */
export function partOf(trigger: { event?: string; after?: string }): 'message' | 'change' | 'time' {
  if (trigger.after !== undefined) return 'time';
  return trigger.event === 'message.added' ? 'message' : 'change';
}

/** What the rule of an answer says. The service stores no other shapes than the types above. */
export const contentOf = ({ trigger, conditions, actions, stopAfter }: Pick<Rule, ContentName>) =>
  ({ trigger, conditions, actions, stopAfter }) as Pick<RuleDraft, ContentName>;
type ContentName = 'trigger' | 'conditions' | 'actions' | 'stopAfter';

/** The rule in the editor: one condition for each filter. */
export function draftOf(rule: Rule): RuleDraft {
  const { conditions, ...content } = contentOf(rule);
  const split = conditions && groupOf(matchOf(conditions), splitTerms(termsOf(conditions), matchOf(conditions)));
  return { ...content, conditions: split, name: rule.name, onRules: rule.onRules };
}

/**
 * One condition for each filter, so that each can be changed by itself. Only where that says the same: all of them must
 * hold anyway.
 */
export function splitTerms(terms: readonly Term[], match: 'all' | 'any'): Term[] {
  if (match === 'any') return [...terms];
  return terms.flatMap((term): Term[] => {
    if (isGroup(term) || term.not === true || !('ticket' in term)) return [term];
    return Object.entries(term.ticket).map(([name, value]) => ({ ticket: { [name]: value } }));
  });
}

/** A copy with a name that no other rule has. */
export function copyOf(rule: Rule, rules: readonly Pick<Rule, 'name'>[]): RuleDraft {
  return { ...draftOf(rule), name: freeName(words('rules.copyName', { name: rule.name }).slice(0, 96), rules) };
}

export function freeName(name: string, rules: readonly Pick<Rule, 'name'>[]): string {
  const isTaken = (wanted: string) => rules.some((rule) => caseKey(rule.name) === caseKey(wanted));
  let free = name;
  for (let count = 2; isTaken(free); count++) free = `${name} ${count}`;
  return free;
}

/** The rule in the shape of the API. */
export function bodyOf({ name, trigger, conditions, actions, stopAfter, onRules }: RuleDraft): RuleBody {
  return { name, trigger, conditions, actions, stopAfter, onRules } as RuleBody;
}
