/** Marks taken mails as seen on their server, or moves them. Nothing else changes mail there. */
import type { ImapFlow } from 'imapflow';
import type { TakenMail } from '../../provider.ts';
import { ProviderFault } from '../../provider-fault.ts';
import { assertDone, searchUids } from './connection.ts';
import { idFields, messageIdOf } from './place.ts';
import { foldersOf, type Reading } from './reading.ts';

/**
 * MOVE (RFC 6851), or an extension with the same power: a plain EXPUNGE would delete mails that other clients have
 * marked.
 */
export function canMove({ capabilities }: Pick<ImapFlow, 'capabilities'>): boolean {
  return ['MOVE', 'UIDPLUS', 'IMAP4REV2'].some((name) => capabilities.has(name));
}

export async function tidyMails({ session, server }: Reading, mails: readonly TakenMail[]): Promise<void> {
  const chosen = await server();
  const { afterIntake, movePath } = chosen;
  const folders = new Map(foldersOf(chosen).map(({ no, path }) => [String(no), path]));
  const groups = Map.groupBy(mails, ({ providerId }) => providerId.slice(0, providerId.lastIndexOf('.')));
  for (const [place, some] of groups) {
    const [no = '', uidValidity = ''] = place.split('.');
    const path = folders.get(no);
    if (path === undefined || afterIntake === 'leave') continue;
    await session.use(async (client) => {
      const still = await openFor(client, path, { uidValidity, some });
      if (still.length === 0) return;
      if (afterIntake === 'seen')
        await change(client, path, () => client.messageFlagsAdd(uidsOf(still), ['\\Seen'], { uid: true }));
      else await move(client, still, { from: path, to: movePath ?? '' });
    });
  }
}

const presentFields = { uid: true, size: true, ...idFields };
type Present = { uid: number; rfcMessageId: string | null; size: number | undefined };

/** Opens a folder for changes. @returns the mails that are there, and are the same as when they were taken */
async function openFor(
  client: ImapFlow,
  path: string,
  { uidValidity, some }: { uidValidity: string; some: readonly TakenMail[] },
): Promise<Present[]> {
  const opened = await client.mailboxOpen(path, { readOnly: false });
  assertDone(client, opened, () => new ProviderFault('unavailable', 'select', 'The IMAP server opens no folder.'));
  if (String(opened.uidValidity) !== uidValidity) return [];
  if (opened.readOnly === true)
    throw new ProviderFault('refused', 'read_only', `The IMAP server lets nobody change the folder ${path}.`);
  const taken = new Map(
    some.map(({ providerId, rfcMessageId }) => [Number(providerId.split('.').at(-1)), rfcMessageId]),
  );
  const still: Present[] = [];
  for await (const mail of client.fetch([...taken.keys()], presentFields, { uid: true })) {
    const rfcMessageId = messageIdOf(mail);
    if (taken.has(mail.uid) && taken.get(mail.uid) === rfcMessageId)
      still.push({ uid: mail.uid, rfcMessageId, size: mail.size });
  }
  return still;
}

async function move(client: ImapFlow, mails: readonly Present[], { from, to }: { from: string; to: string }) {
  if (!canMove(client)) throw new ProviderFault('refused', 'no_move', 'The IMAP server cannot move mails safely.');
  const hasMove = client.capabilities.has('MOVE') || client.capabilities.has('IMAP4REV2');
  if (hasMove) return change(client, to, () => client.messageMove(uidsOf(mails), to, { uid: true }));
  const copied = await findCopied(client, mails, to);
  await client.mailboxOpen(from, { readOnly: false });
  const missing = mails.filter(({ uid }) => !copied.has(uid));
  if (missing.length > 0) await change(client, to, () => client.messageCopy(uidsOf(missing), to, { uid: true }));
  await change(client, from, () => client.messageDelete(uidsOf(mails), { uid: true }));
}

/** An attempt that broke off may have copied mails already. One without a Message-ID may be copied twice. */
async function findCopied(client: ImapFlow, mails: readonly Present[], path: string): Promise<Set<number>> {
  await client.mailboxOpen(path, { readOnly: true });
  const copied = new Set<number>();
  for (const { uid, rfcMessageId, size } of mails) {
    if (rfcMessageId === null) continue;
    const found = await searchUids(client, { header: { 'message-id': rfcMessageId } });
    if (found.length === 0) continue;
    // SEARCH also finds ids that contain this id, and another mail may have the same id.
    for await (const there of client.fetch(found, presentFields, { uid: true }))
      if (messageIdOf(there) === rfcMessageId && there.size === size) copied.add(uid);
  }
  return copied;
}

function uidsOf(mails: readonly Present[]): number[] {
  return mails.map(({ uid }) => uid);
}

/** Changes mails, and throws unless the server did. */
async function change(client: ImapFlow, path: string, work: () => Promise<unknown>): Promise<void> {
  assertDone(client, await work(), () => {
    const sentence = `The IMAP server refuses to mark or move mail: see its folder ${path}.`;
    return new ProviderFault('refused', 'not_tidied', sentence);
  });
}
