/** Mailboxes of the Graph emulator: their items and changes. */
import { createHash, randomUUID } from 'node:crypto';
import { bracketed, headOf } from './mime.ts';
import { fanOut } from './push.ts';
import { type ChangeKind, type FolderName, folderNames, type Item, type Mailbox, type World } from './world.ts';

export function makeMailbox(world: World, address: string, displayName = address): Mailbox {
  const userId = randomUUID();
  // A new key for each mailbox, so that a former mailbox with this address shares no ids.
  const key = createHash('sha256').update(userId).digest('base64url').slice(0, 8);
  const folders = Object.fromEntries(
    folderNames.map((name, index) => [name, { id: `AQMkAD${key}AAAEM${index}==`, name, log: [] }]),
  ) as unknown as Mailbox['folders']; // Every folder name is there.
  const mailbox: Mailbox = {
    address,
    displayName,
    userId,
    aliases: [],
    delegates: new Map(),
    key,
    folders,
    items: new Map(),
    byMessageId: new Map(),
    conversations: new Map(),
    sequence: 0,
    deltaEpoch: 0,
    deltaReset: '410',
    subscriptions: new Set(),
    traffic: { atOnce: 0, windowEndsAt: 0, count: 0 },
  };
  world.mailboxes.set(address.toLowerCase(), mailbox);
  return mailbox;
}

type NewItem = {
  raw: Buffer;
  folder: FolderName;
  isDraft?: boolean;
  isRead?: boolean;
  receivedAt?: Date;
  conversationId?: string;
  properties?: Map<string, string>;
};

export function addItem(world: World, mailbox: Mailbox, { raw, folder, ...given }: NewItem): Item {
  const head = headOf(raw);
  const messageId = head.messageId ?? `${randomUUID()}@emulated.prod.outlook.com`;
  const ancestors = [...head.inReplyTo, ...head.references.toReversed()];
  const sequence = ++mailbox.sequence;
  const item: Item = {
    immutableId: `AAkALg${mailbox.key}${idOf(sequence, 0)}AAA=`,
    id: `AAMkAD${mailbox.key}${idOf(sequence, 1)}AAA=`,
    folder: null,
    conversationId: given.conversationId ?? conversationOf(world, mailbox, ancestors),
    internetMessageId: bracketed(messageId),
    raw,
    isUnbuildable: world.behaviour.mimeFailureRate > 0 && world.random.fraction() < world.behaviour.mimeFailureRate,
    properties: given.properties ?? new Map(),
    files: [],
    isDraft: given.isDraft ?? false,
    isRead: given.isRead ?? false,
    receivedAt: given.receivedAt ?? world.clock.now(),
    changeKey: 1,
  };
  index(mailbox, item);
  place(world, mailbox, item, folder);
  if (world.behaviour.followsUp) note(world, mailbox, item, 'updated');
  return item;
}

/** Some of these ids differ in case only. */
function idOf(sequence: number, move: number): string {
  const bytes = Buffer.alloc(9);
  bytes.writeUInt32BE(sequence, 1);
  bytes.writeUInt16BE(move, 6);
  return bytes.toString('base64url');
}

function conversationOf(world: World, mailbox: Mailbox, ancestors: string[]): string {
  const known = ancestors.map((id) => mailbox.conversations.get(id)).find((id) => id !== undefined);
  const { conversationBreakRate } = world.behaviour;
  if (known !== undefined && !(conversationBreakRate > 0 && world.random.fraction() < conversationBreakRate))
    return known;
  return `AAQkAD${mailbox.key}${randomUUID().replaceAll('-', '')}=`;
}

function index(mailbox: Mailbox, item: Item): void {
  mailbox.items.set(item.id, item);
  mailbox.items.set(item.immutableId, item);
  const alike = mailbox.byMessageId.get(item.internetMessageId) ?? new Set();
  mailbox.byMessageId.set(item.internetMessageId, alike.add(item));
  mailbox.conversations.set(item.internetMessageId.slice(1, -1), item.conversationId);
}

/** Replaces the Message-ID, under which replies will name the mail. The old one still leads to its conversation. */
export function renameItem(mailbox: Mailbox, item: Item, internetMessageId: string): void {
  mailbox.byMessageId.get(item.internetMessageId)?.delete(item);
  item.internetMessageId = internetMessageId;
  index(mailbox, item);
}

export function place(world: World, mailbox: Mailbox, item: Item, folder: FolderName): void {
  item.folder = folder;
  note(world, mailbox, item, 'created');
}

/** Takes an item out of its folder, for good unless it is placed again. */
export function lift(world: World, mailbox: Mailbox, item: Item): void {
  note(world, mailbox, item, 'deleted');
  item.folder = null;
}

/** Moves an item, which gets a new id: deleted in the old folder, created in the new folder. */
export function moveItem(world: World, mailbox: Mailbox, item: Item, folder: FolderName): void {
  if (item.folder !== null) lift(world, mailbox, item);
  mailbox.items.delete(item.id);
  item.id = `AAMkAD${mailbox.key}${idOf(++mailbox.sequence, 2)}AAA=`;
  mailbox.items.set(item.id, item);
  place(world, mailbox, item, folder);
}

export function touchItem(world: World, mailbox: Mailbox, item: Item): void {
  item.changeKey++;
  note(world, mailbox, item, 'updated');
}

function note(world: World, mailbox: Mailbox, item: Item, kind: ChangeKind): void {
  if (item.folder === null) return;
  const at = world.clock.now().getTime();
  mailbox.folders[item.folder].log.push({ item, kind, at, id: item.id });
  fanOut(world, mailbox, item, kind);
}

/** @returns undefined if the item is deleted or not placed yet */
export function findItem(mailbox: Mailbox, id: string): Item | undefined {
  const item = mailbox.items.get(id);
  return item?.folder === null ? undefined : item;
}

/** Finds a folder by its well-known name or its id. */
export function folderOf(mailbox: Mailbox, nameOrId: string): FolderName | undefined {
  return folderNames.find((name) => name === nameOrId.toLowerCase() || mailbox.folders[name].id === nameOrId);
}
