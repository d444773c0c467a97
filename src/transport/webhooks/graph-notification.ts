import { invalidRequest } from '../../ground/lib/errors.ts';
import { providerKeys } from '../../mail/providers/registry.ts';
import type { Poke } from './poke.ts';

/** One item of what Graph posts: a change notification, or a lifecycle event. */
type GraphItem = { clientState: unknown; poke: Poke | undefined };

export type GraphBody = {
  items: GraphItem[];
  /** The `clientState` beside `value`, which counts for items without their own. */
  clientState: unknown;
};

/** Twice as many as Graph fits into a body. A stranger could fit a million. */
const itemsMax = 20_000;

/**
 * Reads a body from Graph: `value` with items, or a single item. A notification has no content and does not reliably
 * name the kind of change. So each causes a sync of the mailbox, and a request for the mail that it names.
 * Throws `request.invalid` for too many items.
 */
export function readGraphBody(body: object): GraphBody {
  const value = member(body, 'value') ?? body;
  const clientState = member(body, 'clientState');
  if (Array.isArray(value) && value.length > itemsMax)
    throw invalidRequest({ path: 'body.value', key: 'too_many_items', params: { limit: itemsMax } });
  const items = [value].flat().map((item: unknown) => {
    const own = isObject(item) ? member(item, 'clientState') : undefined;
    return { clientState: own ?? clientState, poke: isObject(item) ? pokeOf(item) : undefined };
  });
  return { items, clientState };
}

/** @returns undefined for an item that names no subscription */
function pokeOf(item: object): Poke | undefined {
  const subscriptionId = member(item, 'subscriptionId');
  if (typeof subscriptionId !== 'string' || subscriptionId === '') return undefined;
  const event = member(item, 'lifecycleEvent');
  const poke: Poke = { provider: providerKeys.microsoft, routeKey: subscriptionId, ...wishesOf(event), isProven: true };
  const mailId = mailIdIn(item);
  return mailId === undefined ? poke : { ...poke, mailId };
}

/** Graph's ids have about 150 characters. PostgreSQL indexes at most 2,700 bytes. */
const mailIdCharactersMax = 1_000;

function mailIdIn(item: object): string | undefined {
  const data = member(item, 'resourceData');
  const id = isObject(data) ? member(data, 'id') : undefined;
  const isUsable = typeof id === 'string' && id !== '' && id.length <= mailIdCharactersMax && !/[^\x21-\x7e]/.test(id);
  return isUsable ? id : undefined;
}

/** `missed` reports only lost notifications. Unknown future events may concern the subscription as well. */
function wishesOf(event: unknown): Pick<Poke, 'wantsSync' | 'wantsWatch' | 'isWatchGone'> {
  if (typeof event !== 'string') return { wantsSync: true, wantsWatch: false, isWatchGone: false };
  const name = event.toLowerCase();
  return {
    // Graph sends no notifications until the subscription is reauthorized. The watch job then queues a sync.
    wantsSync: name !== 'reauthorizationrequired',
    wantsWatch: name !== 'missed',
    isWatchGone: name === 'subscriptionremoved',
  };
}

/** Graph has used several spellings (upper and lower case) of its names. */
function member(object: object, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name as keyof typeof object];
  const spelt = Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase());
  return spelt === undefined ? undefined : object[spelt as keyof typeof object];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
