import type { NewAttachment } from '../files/attach.ts';
import { sha256Of } from '../platform/blobs.ts';
import { type MailSource, type RawMail, type Stores, storeRawMails } from './raw-mails.ts';
import { knownOutcome, type Outcome, type PreparedMail, takeMails, wholeMail } from './take-mails.ts';
import type { UnderstoodMail, UnreadableMail } from './understand.ts';

/**
 * Takes mails in: their bytes durable first, then understood, each taken once a workspace. A crash at any instant loses
 * none; what was pending is ingested when it comes again, or by `readPendingMails`.
 * @returns what became of each, in the order given
 */
export async function ingestMails(stores: Stores, source: MailSource, contents: readonly Buffer[]): Promise<Outcome[]> {
  const { prepared, isKnown } = await prepareMails(stores, source, contents);
  const outcomes = (await takeMails(stores, source, prepared)).values();
  return isKnown.map((known) => (known ? knownOutcome : (outcomes.next().value ?? knownOutcome)));
}

/** The first half: everything that needs no transaction of the mails' own. */
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

/** Reads mails that are stored, and stores what hangs on them. */
export async function prepareRawMails(
  { blobs, mailParser, log }: Pick<Stores, 'blobs' | 'mailParser' | 'log'>,
  { workspaceId }: Pick<MailSource, 'workspaceId'>,
  raws: readonly RawMail[],
): Promise<PreparedMail[]> {
  const mails = await Promise.all(raws.map((raw) => mailParser.parse(raw)));
  for (const mail of mails) {
    if (!('reason' in mail) && mail.parsed.defects.length > 0)
      log.debug(
        { workspaceId, rawMailId: mail.raw.id, defects: mail.parsed.defects },
        'a mail was mended as it was read',
      );
  }
  const contents = mails.flatMap((mail) => ('reason' in mail ? [mail.raw.bytes] : mail.files.map((f) => f.content)));
  await blobs.putAll(workspaceId, contents);
  return mails.map((mail) => ({ ...mail, attachments: attachmentsOf(mail) }));
}

function attachmentsOf(mail: UnderstoodMail | UnreadableMail): NewAttachment[] {
  if ('reason' in mail) return [wholeMail(mail.raw)];
  return mail.files.map(({ content, ...file }) => ({ ...file, sha256: sha256Of(content) }));
}
