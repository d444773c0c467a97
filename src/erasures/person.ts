import { createHmac } from 'node:crypto';
import type { ContactId, WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';

/** The person of an erasure: all contacts, addresses and names that lead to them. */
export type Person = { contactIds: ContactId[]; addresses: string[]; names: string[] };

/** What stands in place of a text that named the person. */
export const erasedText = '(erased)';

/** Shorter names are words of other texts. */
const nameCharsMin = 4;

/** Names by which texts can be searched without hitting much else. */
export function searchableNames(names: readonly (string | null)[]): string[] {
  const trimmed = names.flatMap((name) => (name === null ? [] : [name.trim()]));
  return [...new Set(trimmed)].filter((name) => name.length >= nameCharsMin);
}

/** Remembers an address without naming it. Who has a copy of the tables alone cannot test an address against it. */
export function hashOfAddress(authSecret: Uint8Array, workspaceId: WorkspaceId, address: string): string {
  return createHmac('sha256', authSecret)
    .update(`kontor erased address 1\n${workspaceId}\n${caseKey(address)}`)
    .digest('hex');
}

export function stubAddress(id: ContactId): string {
  return `erased-${id.slice(-12)}@erased.invalid`;
}

/** Replaces the person's addresses and names in a text, whatever their case. */
export type Scrub = <Text extends string | null>(text: Text) => Text;

export function scrubOf({ addresses, names }: Person): Scrub {
  const wanted = [...addresses, ...names].sort((a, b) => b.length - a.length);
  if (wanted.length === 0) return (text) => text;
  const forms = wanted.flatMap((text) => [...new Set([text, inHtml(text), encodeURIComponent(text)])]);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${forms.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  return (text) => (text === null ? text : (text.replace(pattern, erasedText) as typeof text));
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+');
const inHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Leaves the person's addresses out of a list. */
export function without(list: readonly string[], { addresses }: Person): string[] {
  const keys = new Set(addresses.map(caseKey));
  return list.filter((address) => !keys.has(caseKey(address)));
}

/** Patterns for `ilike any`, which find texts with one of the addresses. */
export function addressPatterns({ addresses }: Person): string[] {
  return addresses.map((address) => `%${address.replace(/[\\%_]/g, '\\$&')}%`);
}
