import type { ModelRule } from './rules-model.ts';

/** Numbers below a limit, and one of a list, the same for the same seed. */
export function diceOf(random: () => number) {
  const below = (limit: number) => Math.floor(random() * limit);
  return { below, pick: <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item };
}
export type Dice = ReturnType<typeof diceOf>;

export const statuses = ['open', 'pending', 'closed'];
export const priorities = ['normal', 'high', 'low'];
export const tags = ['red', 'green', 'blue', 'black'];
export const words = ['invoice', 'brake', 'gear', 'quote'];
export const domains = ['north.example', 'south.example'];

/** What a rule says, without its id. */
export type AnyRule = Omit<ModelRule, 'id'>;

/** @param assignees whom rules may name, also those who have left */
export function anyRule(dice: Dice, name: string, assignees: readonly string[]): AnyRule {
  const { below, pick } = dice;
  const trigger = anyTrigger(dice);
  const mayAskMessage = trigger.event === 'message.added' || trigger.event === 'ticket.created';
  const condition = () => anyCondition(dice, assignees, mayAskMessage && below(2) === 0);
  const group = (size: number) => Array.from({ length: size }, condition);
  const term = () => (below(3) === 0 ? { [pick(['all', 'any'])]: group(1 + below(2)) } : condition());
  const conditions = below(3) === 0 ? null : { [pick(['all', 'any'])]: Array.from({ length: 1 + below(3) }, term) };
  return {
    ...{ name, trigger, conditions, actions: anyActions(dice, name, assignees) },
    ...{ onRules: below(2) === 0, stopAfter: below(12) === 0 },
  };
}

function anyTrigger({ below, pick }: Dice): AnyRule['trigger'] {
  const event = pick([
    ...['ticket.created', 'message.added', 'message.added', 'ticket.status_changed'],
    ...['ticket.priority_changed', 'ticket.tagged', 'ticket.assigned'],
  ]);
  const isOfMessage = event === 'message.added' || event === 'ticket.created';
  return {
    event,
    ...(isOfMessage && below(3) === 0 && { direction: pick(['inbound', 'outbound', 'internal']) }),
    ...(below(3) === 0 && { by: pick([['customer'], ['agent'], ['machine'], ['customer', 'machine']]) }),
  };
}

function anyCondition({ below, pick }: Dice, assignees: readonly string[], asksMessage: boolean): object {
  const negated = below(4) === 0 && { not: true };
  if (asksMessage) {
    const message = pick<object>([
      { subject: { has: [pick(words).toUpperCase()] } },
      { body: { matches: `${pick(words)}s?\\b` } },
      { fromDomain: [pick(domains)] },
      { isFirst: pick([true, false]) },
    ]);
    return { message, ...negated };
  }
  const ticket = pick<object>([
    { status: [pick(statuses)] },
    { status: ['open', pick(statuses)], priority: 'normal' },
    { priority: pick(priorities) },
    { tags: [pick(tags)] },
    { assignee: [pick([...assignees, 'none'])] },
  ]);
  return { ticket, ...negated };
}

function anyActions({ below, pick }: Dice, name: string, assignees: readonly string[]): AnyRule['actions'] {
  return {
    addTags: [pick(tags), ...(below(2) === 0 ? [`by ${name}`] : [])],
    ...(below(3) === 0 && { removeTags: [pick(tags)] }),
    ...(below(3) === 0 && { status: pick(statuses) }),
    ...(below(3) === 0 && { priority: pick(priorities) }),
    ...(below(4) === 0 && { assignee: pick([...assignees, 'none']) }),
    ...(below(3) === 0 && { note: `Seen by ${name}.` }),
  };
}
