import { type WordKey, words } from '../../words/words.ts';
import type { AuditEntry } from './audit.ts';

type Entry = Pick<AuditEntry, 'type' | 'actor' | 'subject' | 'data'>;
type Change = { from: string | boolean; to: string | boolean };

/** The entry as a sentence, with the names of people and things. */
/** @param nameOf the name of a member by id, for entries about a thing that also name a person */
export function auditSentence(entry: Entry, nameOf: (userId: string) => string): string {
  const { data } = entry;
  const values = {
    ...data,
    ...rolesAndStatuses(data),
    ...(Array.isArray(data.changed) && { changed: data.changed.map((field) => fieldOf(field, data)).join(', ') }),
    ...(typeof data.userId === 'string' && { person: nameOf(data.userId) }),
    actor: actorOf(entry),
    subject: entry.subject.name ?? words('audit.gone'),
  } as Record<string, string | number>;
  if (entry.type === 'workspace.changed') return workspaceChange(entry, values);
  return words(keyOf(entry), values);
}

/** The key of the sentence. Entries of one type that differ in kind have a sentence for each. */
function keyOf({ type, data }: Entry): WordKey {
  if (type === 'session.ended' || type === 'webhook.disabled') return `audit.${type}.${data.reason}` as WordKey;
  if (type === 'mailbox.status_changed') return `audit.${type}.${data.field}` as WordKey;
  return `audit.${type}` as WordKey;
}

function actorOf({ actor }: Entry): string {
  if (actor === null) return words('audit.service');
  const person = actor.name ?? words('audit.gone');
  if (actor.apiKeyId === null) return person;
  return words('audit.byKey', { person, key: actor.apiKeyName ?? words('audit.keyGone') });
}

/** Roles and statuses in words; other values stay as they are. */
function rolesAndStatuses(data: Entry['data']): Record<string, string> {
  const named = Object.entries(data).flatMap(([name, value]) => {
    const key = [`role.${value}`, `audit.status.${value}`].find((each) => words(each as WordKey) !== each);
    return ['role', 'from', 'to'].includes(name) && key !== undefined ? [[name, words(key as WordKey)]] : [];
  });
  return Object.fromEntries(named);
}

function fieldOf(field: string, { visibility }: Entry['data']): string {
  if (field === 'visibility') return words(visibility === 'members' ? 'teams.sees.members' : 'teams.sees.workspace');
  const key = `audit.field.${field}` as WordKey;
  const sentence = words(key);
  return sentence === key ? field : sentence;
}

function workspaceChange({ data }: Entry, values: Record<string, string | number>): string {
  const { name, requireSecondFactor, ownAddresses, whenAnswered } = data as {
    name?: Change;
    requireSecondFactor?: Change;
    ownAddresses?: { to: string[] };
    whenAnswered?: object;
  };
  const parts = [
    name !== undefined && words('audit.workspace.renamed', { ...values, from: String(name.from), to: String(name.to) }),
    requireSecondFactor !== undefined &&
      words(requireSecondFactor.to === true ? 'audit.workspace.factorOn' : 'audit.workspace.factorOff', values),
    ownAddresses !== undefined &&
      words('audit.workspace.ownAddresses', { ...values, addresses: ownAddresses.to.join(', ') || '–' }),
    whenAnswered !== undefined && words('audit.workspace.whenAnswered', values),
  ].filter((part) => part !== false);
  return parts.length === 0 ? words('audit.workspace.changed', values) : parts.join('; ');
}
