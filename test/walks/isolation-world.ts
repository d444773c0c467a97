import { createECDH } from 'node:crypto';
import { URI } from 'otpauth';
import { startSession } from '../../src/access/accounts/start-session.ts';
import { sql } from '../../src/ground/database/sql.ts';
import type { MessageId } from '../../src/ground/lib/ids.ts';
import type { House } from '../harness/harness.ts';
import { newestToken } from '../harness/links.ts';
import { givePassword, makeMember, makeOwner, type Person } from '../worlds/factories.ts';
import { ingestMails } from '../worlds/mails.ts';
import {
  type Operation,
  type Schema,
  type Sent,
  sampleOf,
  send,
  type WalkAnswer,
  workspacePrefix,
} from './api-walk.ts';

/** A workspace, its people, and every id that its API has returned, by the name of the path parameter. */
export type World = {
  owner: Person;
  colleague: Person;
  viewer: Person;
  marker: string;
  ids: Map<string, Set<string>>;
  /** The team of new tickets, where its people see no others. */
  teamId?: string;
  /** The addresses of contacts by their id: an erasure wants one typed. */
  addresses: Map<string, string>;
  /** Codes that prove the owner's identity. All passwords are the marker. */
  codes: { now(): string; left: string[] };
  /** An identity provider's token for the owner. */
  idToken: string;
  /** The token by which a third workspace invites the owner. */
  inviteToken: string;
  /** A mailbox at a provider that is not connected yet. */
  newMailbox(): { address: string; refreshToken: string };
  /** The parameters with which a provider redirects the browser back. */
  consent: { state: string; code: string };
};
export type Request = { url: string; body: string | FormData | undefined };
type Substitute = { name: string; value: string; at: 'path' | 'body' | 'query' };

/** Fields that name an account without being called userId. */
export const personNames = /^(assignee|defaultAssignee|mentioned|member|owner)(Id)?$/;
const candidatesMax = 12;

/** A house with an identity provider and a mail provider that issue tokens to the test, and with an IMAP server. */
export type WalkedHouse = House & {
  idTokenOf(subject: string): string;
  addHostedMailbox(address: string): string;
  /** @returns the body that connects the mailbox */
  addImapMailbox(address: string): object;
};

export async function makeWorld(house: WalkedHouse, name: string): Promise<World> {
  const marker = `marker-of-${name}`;
  const owner = await makeOwner(house, marker);
  const colleague = await makeMember(house, owner.workspaceId, 'admin', `${marker} colleague`);
  const viewer = await makeMember(house, owner.workspaceId, 'viewer', `${marker} viewer`);
  await givePassword(house, owner, marker);
  const ids = new Map([
    ['sessionId', new Set([await openSpareSession(house, owner)])],
    ['workspaceId', new Set([owner.workspaceId])],
    ['userId', new Set([colleague.userId, owner.userId, viewer.userId])],
    ['mailboxId', new Set([await connectImap(house, owner, marker)])],
    ...(await receiveMail(house, owner, marker)),
  ]);
  const codes = { now: () => '000000', left: [] };
  const inviteToken = await inviteElsewhere(house, owner);
  let mailboxes = 0;
  const newMailbox = () => {
    const address = `${marker}-${++mailboxes}@example.org`;
    return { address, refreshToken: house.addHostedMailbox(address) };
  };
  const consent = { state: marker, code: marker };
  const idToken = house.idTokenOf(marker);
  return {
    owner,
    colleague,
    viewer,
    marker,
    ids,
    addresses: new Map(),
    codes,
    idToken,
    inviteToken,
    newMailbox,
    consent,
  };
}

/** A mailbox with folders to choose from, which no schema tells how to connect. */
async function connectImap(house: WalkedHouse, owner: Person, marker: string): Promise<string> {
  const { status, body } = await owner.call('POST', '/mailboxes', house.addImapMailbox(`${marker}-imap@example.org`));
  if (status !== 201) throw new Error(`The mailbox was not connected: ${JSON.stringify(body)}`);
  return body.id;
}

async function inviteElsewhere(house: House, { email }: Person): Promise<string> {
  const host = await makeOwner(house, 'a third workspace');
  await host.call('POST', '/invites', { email, role: 'agent' });
  return newestToken(house, email);
}

/** A session that the walk may end without ending its own. */
async function openSpareSession(house: House, { userId }: Person): Promise<string> {
  const client = { ip: '127.0.0.1', userAgent: null, language: null };
  const { sessionId } = await house.app.db.tx((tx) => startSession(tx, { userId, workspaceId: null, client }));
  return sessionId;
}

/** Receives mail, for rows that no call makes: a message with its raw mail and a file. */
async function receiveMail(house: House, { workspaceId }: Person, marker: string): Promise<[string, Set<string>][]> {
  const lines = [
    `From: ${marker} <${marker}@example.org>`,
    `To: ${marker}-too@example.org`,
    `Subject: ${marker}`,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    `Content-Type: text/plain; name="${marker}.txt"`,
    'Content-Disposition: attachment',
    '',
    marker,
    '--b--',
  ];
  const source = { workspaceId, origin: 'live', via: 'smtp', mailboxId: null, receivedAt: house.clock.now() } as const;
  await ingestMails(house.app, source, [
    Buffer.from(lines.join('\r\n')),
    ...[0, 1, 2].map((size) => Buffer.alloc(size)),
  ]);
  const { attachmentId, messageId } = await house.app.db.one<{ attachmentId: string; messageId: MessageId }>(sql`
    select a.id as "attachmentId", a.message_id as "messageId"
    from attachments a
    where a.workspace_id = ${workspaceId} and a.file_name = ${`${marker}.txt`}`);
  const unread = await house.app.db.rows<{ id: string }>(sql`
    select id from raw_mails where workspace_id = ${workspaceId} and state = 'quarantined'`);
  return [
    ['rawMailId', new Set(unread.map(({ id }) => id))],
    ['attachmentId', new Set([attachmentId])],
    ['messageId', new Set([messageId])],
  ];
}

/**
 * Calls every operation that reads or creates, twice as each of two people, who name each other. Later calls use the
 * ids of earlier answers.
 */
export async function fill(house: House, world: World, operations: Operation[]): Promise<void> {
  const below = operations.filter(({ path, isPublic }) => path.startsWith(workspacePrefix) && !isPublic);
  // A change by query, which no schema tells from a change by ids.
  await world.owner.call('POST', '/tickets/bulk', { query: {}, priority: 'high' });
  for (const person of [world.owner, world.colleague, world.colleague, world.owner]) {
    for (const operation of below.filter(({ method, successes }) => method === 'GET' || makes(successes))) {
      await attempt(house, operation, world, person);
    }
    await house.drain();
  }
  await holdMail(world);
  // A tag to rename and to delete.
  await world.owner.call('PUT', '/tags/colour', { tag: world.marker, colour: 'red' });
}

/** Whether the operation creates something or starts work. */
function makes(successes: number[]): boolean {
  return successes.includes(201) || successes.includes(202);
}

/**
 * Schedules a mail, so that the walk can change its time, cancel it or send it at once. Its ids come first of their
 * kind, so that they meet in one path.
 */
async function holdMail({ owner, marker, ids, teamId }: World): Promise<void> {
  const toAddresses = [`${marker}@example.org`];
  const mail = { subject: marker, body: marker, sendEmail: true, toAddresses, sendAt: inAnHour(), teamId };
  const { body: ticket } = await owner.call('POST', '/tickets', mail);
  const { body } = await owner.call('GET', `/tickets/${ticket.id}`);
  const putFirst = (name: string, id: string) => ids.set(name, new Set([id, ...(ids.get(name) ?? [])]));
  putFirst('ticketId', ticket.id);
  putFirst('messageId', body.messages[0].id);
}

/** Calls the operation with ids of the world until a call succeeds. Returns the successful answer, or the last. */
export async function attempt(
  house: House,
  operation: Operation,
  world: World,
  person: Person,
): Promise<WalkAnswer | undefined> {
  let answer: WalkAnswer | undefined;
  for (let turn = 0; turn < candidatesMax; turn++) {
    for (const withOptionalIds of [true, false]) {
      const request = requestOf(operation, world, { turn, withOptionalIds, except: person.userId });
      if (request === undefined) return answer;
      answer = await send(house, operation, request.url, request.body, asPerson(person));
      if (answer.status < 300) {
        gather(operation, answer.body, world.ids);
        gatherCodes(house, answer.body, world);
        gatherAddresses(answer.body, world);
        await giveConsent(answer.body, world);
        return answer;
      }
    }
    if (operation.pathNames.length < 2 && operation.body === undefined) return answer;
  }
  return answer;
}

/** Remembers the ids in an answer: `id` under the name of the path's last collection, others under their own name. */
function gather(operation: Operation, body: unknown, ids: World['ids']): void {
  const collection = operation.path.split('/').findLast((part) => /^[a-z-]+s$/.test(part)) ?? 'things';
  const one = collection.replace(/ies$/, 'y').replace(/xes$/, 'x').replace(/s$/, '');
  const ownName = `${one.replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase())}Id`;
  const visit = (value: unknown, idName: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, idName);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const name = key === 'id' ? idName : key;
      if (typeof inner === 'string' && /Id$/.test(name) && /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(inner)) {
        const known = ids.get(name) ?? new Set();
        ids.set(name, known.add(inner));
      } else if (key === 'ticketNumber' && typeof inner === 'number') {
        const known = ids.get(key) ?? new Set();
        ids.set(key, known.add(String(inner)));
      } else if (key === 'items' || key === 'ticket') visit(inner, key === 'ticket' ? 'ticketId' : idName);
      else visit(inner, key === 'messages' ? 'messageId' : key === 'attachments' ? 'attachmentId' : `${key}Id`);
    }
  };
  visit(body, ownName);
}

function gatherAddresses(body: any, { addresses }: World): void {
  for (const each of Array.isArray(body) ? body : [body])
    if (Array.isArray(each?.emails) && typeof each.id === 'string') addresses.set(each.id, each.emails[0]);
}

/** A code works once, so the recovery codes follow the authenticator's code. */
function gatherCodes(house: House, body: any, { codes }: World): void {
  if (typeof body?.otpauthUri === 'string') {
    const authenticator = URI.parse(body.otpauthUri);
    codes.now = () => authenticator.generate({ timestamp: house.clock.now().getTime() });
  }
  if (Array.isArray(body?.recoveryCodes)) codes.left = body.recoveryCodes;
}

/** Follows the redirect to a provider's page that consents at once, as a browser would. */
async function giveConsent(body: any, world: World): Promise<void> {
  if (typeof body?.consentUrl !== 'string') return;
  const { headers } = await fetch(body.consentUrl, { redirect: 'manual' });
  const { searchParams } = new URL(headers.get('location') ?? '');
  world.consent = { state: searchParams.get('state') ?? '', code: searchParams.get('code') ?? '' };
}

type Options = { turn?: number; withOptionalIds?: boolean; except?: string; substitute?: Substitute };

/** A request that the schemas allow, with ids of the world. Undefined if the world lacks an id for the path. */
export function requestOf(operation: Operation, world: World, options: Options = {}): Request | undefined {
  const { turn = 0, withOptionalIds = false, except, substitute } = options;
  const used = new Set<string>(except === undefined ? [] : [except]);
  const idFor = (name: string, nth: number): string | undefined => {
    const unused = candidates(world, name).filter((id) => !used.has(id));
    return unused[nth % Math.max(unused.length, 1)];
  };
  let url = operation.path;
  for (const name of operation.pathNames) {
    const isSubstituted = substitute?.at === 'path' && substitute.name === name;
    const id = isSubstituted ? substitute.value : idFor(name, name === 'workspaceId' ? 0 : turn);
    if (id === undefined) return undefined;
    used.add(id);
    url = url.replace(`{${name}}`, id);
  }
  const fields = operation.body?.properties ?? {};
  const given: Record<string, string> = {
    ...('refreshToken' in fields || 'historyDays' in fields ? world.newMailbox() : {}),
    ...(url.endsWith('/erasure')
      ? { email: world.addresses.get(url.split('/').at(-2) ?? '') ?? 'nobody@example.org' }
      : {}),
    ...('state' in fields && 'code' in fields ? world.consent : {}),
    // No two teams have one name, and no two calendars, rules or automatic replies.
    ...(/\/(?:teams|calendars|rules|auto-replies)$/.test(url)
      ? { name: `${world.marker} ${crypto.randomUUID()}` }
      : {}),
    ...(url.endsWith('/tags/rename') ? { tag: world.marker, to: world.marker.toUpperCase() } : {}),
  };
  const choose = (at: 'body' | 'query', required: readonly string[]) => (name: string, schema: Schema) => {
    if (substitute?.at === at && (substitute.name === name || substitute.name === `${name}s`)) return substitute.value;
    // Left out, since each works only once or for one person, and a refusal would hide the rest of the request.
    if (/^(?:attachment|draft|savedReply)Id$/.test(name) && at === 'body' && !required.includes(name)) return undefined;
    if (url.endsWith('/rules/order') && name === 'ids') return candidates(world, 'ruleId');
    // Rules and automatic replies take only those that all members see.
    if (name === 'isShared' && url.endsWith('/saved-replies')) return true;
    // No schema says which parts of a rule go together.
    if (name === 'trigger') return { event: 'ticket.created' };
    if (name === 'actions' && 'notify' in (schema.properties ?? {})) return { addTags: [world.marker] };
    // A time ends after it begins.
    if (name === 'to' && schema.format === 'date-time') return '2100-01-02T00:00:00.000Z';
    if (at === 'body' && name === 'ids' && 'exceptIds' in fields) return candidates(world, 'ticketId').slice(0, 1);
    if (schema.format === 'uuid')
      return withOptionalIds || required.includes(name) || required.includes(`${name}s`)
        ? idFor(name, turn)
        : undefined;
    if (at === 'body' && name in fields && name in given) return given[name];
    if (/password$/i.test(name)) return world.marker;
    // No server listens there.
    if (name === 'url') return `http://127.0.0.1:9/${world.marker}`;
    if (name === 'endpoint') return 'https://127.0.0.1:9/push';
    if (name === 'p256dh') return createECDH('prime256v1').generateKeys('base64url');
    if (name === 'inboxPath') return 'INBOX';
    if (name === 'sendAt' && required.includes(name)) return inAnHour();
    if (name === 'idToken') return world.idToken;
    if (name === 'token') return world.inviteToken;
    if (name === 'code') return world.codes.left[0] ?? world.codes.now();
    const isFreeText =
      schema.type === 'string' && !schema.pattern && !schema.format && !schema.enum && (schema.maxLength ?? 500) >= 30;
    // A message needs text or HTML.
    const isWanted = required.includes(name) || (name === 'body' && 'bodyHtml' in fields);
    return isFreeText && isWanted ? world.marker : undefined;
  };
  const query = operation.query
    .filter(({ name, isRequired }) => isRequired || (substitute?.at === 'query' && substitute.name === name))
    .map(
      ({ name, schema }) => `${name}=${encodeURIComponent(String(sampleOf(schema, name, choose('query', [name]))))}`,
    );
  if (query.length > 0) url += `?${query.join('&')}`;
  if (operation.body === undefined) return { url, body: undefined };
  if (operation.bodyType === 'multipart/form-data') return { url, body: fileForm(world.marker) };
  return { url, body: JSON.stringify(sampleOf(operation.body, '', choose('body', operation.body.required ?? []))) };
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

function fileForm(marker: string): FormData {
  const form = new FormData();
  form.append('file', new Blob([marker], { type: 'text/plain' }), `${marker}.txt`);
  return form;
}

/** The ids for a name: its own, or those whose name it ends in (`sourceTicketId` is a `ticketId`). */
export function candidates({ ids }: World, name: string): string[] {
  if (personNames.test(name)) return [...(ids.get('userId') ?? [])];
  const exact = ids.get(name);
  if (exact !== undefined) return [...exact];
  const [, found] = [...ids].find(([known]) => name.toLowerCase().endsWith(known.toLowerCase())) ?? [];
  return [...(found ?? [])];
}

export function asPerson({ token, workspaceId }: Person): Sent {
  return { token, workspaceHeader: workspaceId };
}
