import { createHmac } from 'node:crypto';
import type { ContactId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey, hasCjk } from '../../ground/lib/text.ts';

/** The person of an erasure: all contacts, addresses and names that lead to them. */
export type Person = { contactIds: ContactId[]; addresses: string[]; names: string[] };

/** What stands in place of a text that named the person. */
export const erasedText = '(erased)';

/** Shorter names are words of other texts. A Chinese, Japanese or Korean name has two to four characters. */
const nameCharsMin = 4;
const cjkNameCharsMin = 2;

/** Names by which texts can be searched without hitting much else. */
export function searchableNames(names: readonly (string | null)[]): string[] {
  const trimmed = names.flatMap((name) => (name === null ? [] : [name.trim()]));
  return [...new Set(trimmed)].filter((name) => name.length >= (hasCjk(name) ? cjkNameCharsMin : nameCharsMin));
}

/** Remembers an address without naming it. Who has a copy of the tables alone cannot test an address against it. */
export function hashOfAddress(authSecret: Uint8Array, workspaceId: WorkspaceId, address: string): string {
  return createHmac('sha256', authSecret)
    .update(`kontor erased address 1\n${workspaceId}\n${caseKey(address)}`)
    .digest('hex');
}

/** Replaces the person's addresses and names. */
export type Scrub = {
  text<Text extends string | null>(text: Text): Text;
  /** In sanitised HTML, where the letters of a name may also be a tag or a colour. */
  html<Html extends string | null>(html: Html): Html;
  /** In each text of a value of JSON. */
  json(value: unknown): unknown;
};

export function scrubOf({ addresses, names }: Person): Scrub {
  const sources = [...addressPatterns(addresses), ...namePatterns(names)];
  const pattern = sources.length === 0 ? undefined : new RegExp(sources.join('|'), 'gu');
  const replace = (text: string) => (pattern === undefined ? text : text.replace(pattern, erasedText));
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return replace(value);
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, json(inner)]));
  };
  return {
    text: (text) => (text === null ? text : (replace(text) as typeof text)),
    html: (html) => (html === null ? html : (replaceInHtml(html, replace) as typeof html)),
    json,
  };
}

function replaceInHtml(html: string, replace: (text: string) => string): string {
  return html.replace(/<[^<>]*>?|[^<]+/g, (part) =>
    part.startsWith('<') ? replaceInTag(part, replace) : replace(part),
  );
}

/** Links and words for people to read. Pictures inside the mail are numbers in letters. */
function replaceInTag(tag: string, replace: (text: string) => string): string {
  return tag.replace(/ (?:title|alt|href|(?:data-)?src)="(?!data:)[^"]*"/g, (attribute) =>
    attribute.replace(/"[^"]*"/, replace),
  );
}

/**
 * `jo.ann@x.example` is somebody else than `ann@x.example`, and `Mail:--ann@x.example` is not. In links an escape such
 * as `%3C` may stand before an address.
 */
function addressPatterns(addresses: readonly string[]): string[] {
  return addresses
    .flatMap(formsOf)
    .sort(longestFirst)
    .map((form) => `(?:(?<=%[0-9A-Fa-f]{2})|(?<![\\p{L}\\p{N}][._+'-]?))(?i:${escaped(form)})(?![\\p{L}\\p{N}])`);
}

/** Only whole words are names, except where a script puts no spaces between words. */
function namePatterns(names: readonly string[]): string[] {
  return [...names].sort(longestFirst).map((name) => {
    const forms = spellingsOf(name).join('|');
    return hasCjk(name) ? `(?:${forms})` : `(?<![\\p{L}\\p{N}])(?:${forms})(?![\\p{L}\\p{N}\\p{M}])`;
  });
}

/** A name of one word, such as Will, may be a common word too. It is a name where it begins with a capital letter. */
function spellingsOf(name: string): string[] {
  if (/\s/.test(name)) return formsOf(name).map((form) => `(?i:${escaped(form)})`);
  const capital = name.replace(/^./u, (letter) => letter.toUpperCase());
  return [capital, capital.toUpperCase()].flatMap(formsOf).map(escaped);
}

/** How texts, HTML and links write an address or a name. */
function formsOf(text: string): string[] {
  const inHtml = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const inLink = encodeURIComponent(text);
  const forms = [text, inHtml, inHtml.replaceAll('"', '&quot;'), inLink, inLink.replaceAll('%40', '@')];
  return [...new Set(forms.flatMap((form) => [form, form.normalize('NFC'), form.normalize('NFD')]))];
}

const longestFirst = (a: string, b: string) => b.length - a.length;
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+');

/** Leaves the person's addresses out of a list. */
export function without(list: readonly string[], { addresses }: Person): string[] {
  const keys = new Set(addresses.map(caseKey));
  return list.filter((address) => !keys.has(caseKey(address)));
}

/**
 * Patterns for `ilike any`, which find every text with one of the addresses. They find others too, such as
 * `joann@x.example` for `ann@x.example`: `scrubOf` decides.
 */
export function likeAddresses({ addresses }: Person): string[] {
  const written = addresses.flatMap(formsOf).flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]);
  return [...new Set(written)].map((form) => `%${form.replace(/[\\%_]/g, '\\$&')}%`);
}
