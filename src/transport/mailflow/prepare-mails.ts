import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { NewAttachment } from '../../helpdesk/files/attach.ts';
import { authenticate } from './authenticate.ts';
import { readOwnAddresses } from './own-addresses.ts';
import { wholeMail } from './quarantine.ts';
import { type MailSource, type RawMail, storeRawMails } from './raw-mails.ts';
import { renewFingerprints } from './renew-fingerprints.ts';
import type { Stores } from './stores.ts';
import { findForwards } from './take/forwards.ts';
import type { PreparedMail, UnderstoodMail, UnreadableMail } from './understand.ts';

/**
 * Stores the bytes of mails durably, then parses them: everything before the transaction of `takeMails`. A crash at any
 * instant loses none: a pending mail is ingested when it comes again, or by `readPendingMails`.
 */
export async function prepareMails(
  stores: Stores,
  source: MailSource,
  contents: readonly Buffer[],
): Promise<{ prepared: PreparedMail[]; isKnown: boolean[] }> {
  const raws = await storeRawMails(stores, source, contents);
  const pending = raws.filter((raw) => raw !== null);
  return {
    prepared: await prepareRawMails(stores, source, pending),
    isKnown: raws.map((raw) => raw === null),
  };
}

/** Parses stored mails, and stores their files. */
export async function prepareRawMails(
  stores: Pick<Stores, 'db' | 'blobs' | 'mailParser' | 'log' | 'config' | 'resolveDns'>,
  { workspaceId }: Pick<MailSource, 'workspaceId'>,
  raws: readonly RawMail[],
): Promise<PreparedMail[]> {
  const { blobs, log } = stores;
  const understood = await Promise.all(raws.map((raw) => understandMail(stores, workspaceId, raw)));
  const mails = await withoutStrangersForwards(stores, workspaceId, understood);
  await renewFingerprints(stores, workspaceId, mails);
  for (const mail of mails) {
    if (!('reason' in mail) && mail.parsed.defects.length > 0)
      log.debug(
        { workspaceId, rawMailId: mail.raw.id, defects: mail.parsed.defects },
        'a mail had defects that the parser repaired',
      );
  }
  const contents = mails.flatMap((mail) =>
    'reason' in mail ? [mail.raw.bytes] : [...mail.files, ...(mail.forwarded?.files ?? [])].map((f) => f.content),
  );
  const hashes = (await blobs.putAll(workspaceId, contents)).values();
  return mails.map((mail) =>
    'reason' in mail
      ? { ...mail, attachments: stored([wholeMail(mail.raw)], hashes) }
      : {
          ...mail,
          attachments: stored(mail.files, hashes),
          forwardedAttachments: stored(mail.forwarded?.files ?? [], hashes),
        },
  );
}

/** Anybody can enclose a mail, so its files are stored only where its forward may count. */
async function withoutStrangersForwards(
  { db, config }: Pick<Stores, 'db' | 'config'>,
  workspaceId: WorkspaceId,
  mails: readonly (UnderstoodMail | UnreadableMail)[],
): Promise<(UnderstoodMail | UnreadableMail)[]> {
  const isForward = (mail: UnderstoodMail | UnreadableMail) => !('reason' in mail) && mail.forwarded !== null;
  if (!mails.some(isForward)) return [...mails];
  const own = await readOwnAddresses(db, workspaceId, config.mailFrom);
  const forwards = await findForwards(db, workspaceId, { prepared: mails, own });
  return mails.map((mail) => ('reason' in mail || forwards.has(mail.raw.id) ? mail : { ...mail, forwarded: null }));
}

/** Runs for all mails of a batch at once, so that a silent DNS server delays the batch only once. */
async function understandMail(
  stores: Pick<Stores, 'mailParser' | 'config' | 'resolveDns'>,
  workspaceId: WorkspaceId,
  raw: RawMail,
): Promise<UnderstoodMail | UnreadableMail> {
  const mail = await stores.mailParser.parse(raw, workspaceId);
  return 'reason' in mail ? mail : { ...mail, authentication: await authenticate(stores, mail) };
}

/** @param hashes of the files of all mails, in order; takes one for each file */
function stored(
  files: readonly (Omit<NewAttachment, 'sha256'> & { content?: Uint8Array })[],
  hashes: Iterator<string>,
): NewAttachment[] {
  return files.map(({ content: _, ...file }) => ({ ...file, sha256: hashes.next().value ?? '' }));
}
