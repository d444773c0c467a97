import type { ReadFact } from '../../events/activity/fact-reader.ts';
import type { Cause } from '../../ground/catalog/cause.ts';
import { authorOf } from './message-conditions.ts';
import type { ToldMessage } from './read-messages.ts';
import type { Rule, RuleTrigger } from './schema.ts';

export type Happening = {
  fact: Pick<ReadFact, 'type' | 'actorType' | 'data' | 'cause'>;
  told: ToldMessage | undefined;
};

/** A ticket is created with its first message, so that is added too. A scheduled one is added when it leaves. */
function occursAs({ fact: { type }, told }: Happening): readonly string[] {
  const isScheduled = told?.message.isScheduled === true;
  if (type === 'message.added') return isScheduled ? [] : [type];
  const isAdded = type === 'message.delivery_changed' ? isScheduled : told?.isNew === true && !isScheduled;
  return isAdded ? [type, 'message.added'] : [type];
}

/** Whether a fact is what a trigger waits for. A trigger about time waits for none. */
export function triggers({ event, direction, by }: RuleTrigger, happening: Happening): boolean {
  if (event === undefined || !occursAs(happening).includes(event)) return false;
  const { told } = happening;
  if (direction !== undefined && direction !== told?.message.direction) return false;
  const isOfMessage = event === 'message.added';
  const authors = by ?? (isOfMessage ? ['customer', 'agent'] : undefined);
  return authors === undefined || authors.includes(authorIn(happening, event));
}

function authorIn({ fact: { actorType }, told }: Happening, event: string): 'customer' | 'agent' | 'machine' {
  if (told !== undefined && event !== 'message.delivery_changed') return authorOf(told.message);
  return actorType === 'customer' || actorType === 'agent' ? actorType : 'machine';
}

/** Rules and automatic replies may lead to one another this often. */
const depthMax = 3;

/** How many rules and automatic replies led to a fact, one after the other. */
function depthOf(cause: Cause | null): number {
  return cause?.kind === 'rule' || cause?.kind === 'auto_reply' ? cause.depth : 0;
}

/** Whether a rule looks at what led to a fact. What a rule did reaches only other rules that ask for it. */
export function looksAt({ id, onRules }: Pick<Rule, 'id' | 'onRules'>, cause: Cause | null): boolean {
  if (depthOf(cause) === 0) return true;
  return onRules && cause?.id !== id;
}

/** The cause of what a rule does about a fact; undefined for one rule too many. */
export function causeOf({ id }: Pick<Rule, 'id'>, cause: Cause | null) {
  const depth = depthOf(cause) + 1;
  return depth > depthMax ? undefined : ({ kind: 'rule', id, depth } as const);
}
