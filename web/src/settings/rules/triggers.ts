import type { Since, Trigger } from './rule.ts';

/** What a rule can wait for, as a person chooses it. */

const sinces = ['waitingSince', 'lastAnswer', 'created', 'statusChanged'] as const satisfies readonly Since[];

const message = 'message.added';
/** Without `by`, messages of people. */
export const eventTriggers = {
  arrives: { event: message, direction: 'inbound' },
  customer: { event: message, direction: 'inbound', by: ['customer'] },
  machine: { event: message, direction: 'inbound', by: ['machine'] },
  any: { event: message, direction: 'inbound', by: ['customer', 'agent', 'machine'] },
  answered: { event: message, direction: 'outbound' },
  noted: { event: message, direction: 'internal' },
  created: { event: 'ticket.created' },
  status: { event: 'ticket.status_changed' },
  assigned: { event: 'ticket.assigned' },
  team: { event: 'ticket.team_changed' },
  priority: { event: 'ticket.priority_changed' },
  tagged: { event: 'ticket.tagged' },
  mailbox: { event: 'ticket.mailbox_changed' },
  woken: { event: 'ticket.woken' },
} as const satisfies Record<string, Trigger>;

type EventTrigger = keyof typeof eventTriggers;
export type TriggerName = EventTrigger | Since;
// `keys` does not follow types.
const eventNames = Object.keys(eventTriggers) as EventTrigger[];
export const triggerNames: readonly TriggerName[] = [...eventNames, ...sinces];

export const isSince = (name: TriggerName): name is Since => (sinces as readonly string[]).includes(name);

/** @returns undefined for what only a program writes */
export function nameOfTrigger(trigger: Trigger): TriggerName | undefined {
  if ('after' in trigger) return trigger.since;
  const written = keyOf(trigger);
  return eventNames.find((name) => keyOf(eventTriggers[name]) === written);
}

function keyOf({ event, direction, by }: Extract<Trigger, { event: string }>): string {
  return [event, direction, ...[...(by ?? [])].sort()].join(' ');
}

/** The trigger of a name. What the present one says of time stays. */
export function triggerOf(name: TriggerName, before: Trigger): Trigger {
  if (isSince(name)) return { ...('after' in before ? before : { after: '4h', calendarId: null }), since: name };
  const chosen: Trigger = eventTriggers[name];
  return { ...chosen };
}

export const units = { m: 'minute', h: 'hour', d: 'day' } as const;
export type Unit = keyof typeof units;

/** A span such as `4h`. */
export function spanOf(after: string): { count: number; unit: Unit } {
  const [, count = '1', unit = 'h'] = /^(\d+)([mhd])$/.exec(after) ?? [];
  return { count: Number(count), unit: unit as Unit }; // the pattern has no other
}
