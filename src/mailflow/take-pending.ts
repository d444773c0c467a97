import { isDatabaseAway } from '../database/faults.ts';
import { nilId } from '../lib/ids.ts';
import { prepareRawMails } from './ingest.ts';
import { faultName, isOfThisMail } from './mail-faults.ts';
import { giveUpLostMails, readPendingMails } from './pending-mails.ts';
import { wholeMail } from './quarantine.ts';
import type { MailSource, RawMail } from './raw-mails.ts';
import type { Stores } from './stores.ts';
import { type Outcome, takeMails } from './take-mails.ts';

/**
 * This many mails share a transaction and its disk flushes. More gains little and blocks others who create tickets in
 * the workspace for longer: one batch takes some 150 ms.
 */
export const batchMailsMax = 64;
export const batchBytesMax = 4 * 1024 * 1024;

/** Ingests stored pending mails batch by batch, oldest first, until none is left or the caller stops asking. */
export async function* takePendingMails(
  stores: Stores,
  source: Pick<MailSource, 'workspaceId' | 'via'>,
): AsyncGenerator<Outcome[]> {
  let afterId: string = nilId;
  for (;;) {
    const limits = { afterId, countMax: batchMailsMax, bytesMax: batchBytesMax };
    const { mails, lostIds, lastId } = await readPendingMails(stores, source, limits);
    if (lastId === undefined) return;
    const lost =
      lostIds.length === 0 ? 0 : await stores.db.tx((tx) => giveUpLostMails(tx, source.workspaceId, lostIds));
    yield [...Array.from({ length: lost }, () => lostOutcome), ...(await takeBatch(stores, source, mails))];
    afterId = lastId;
  }
}

type Owner = Pick<MailSource, 'workspaceId'>;

const lostOutcome: Outcome = { kind: 'quarantined', ticketsMade: 0 };

async function takeBatch(stores: Stores, source: Owner, mails: readonly RawMail[]): Promise<Outcome[]> {
  try {
    return await takeMails(stores, source, await prepareRawMails(stores, source, mails));
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const outcomes: Outcome[] = [];
    for (const mail of mails) outcomes.push(...(await takeAlone(stores, source, mail)));
    return outcomes;
  }
}

/**
 * Quarantines a mail on which our own code fails. Otherwise it would come first again and again, and block the others.
 */
async function takeAlone(stores: Stores, source: Owner, raw: RawMail): Promise<Outcome[]> {
  try {
    return await takeMails(stores, source, await prepareRawMails(stores, source, [raw]));
  } catch (error) {
    if (!isOfThisMail(error)) throw error;
    await stores.blobs.put(source.workspaceId, raw.bytes);
    const reason = `it could not be taken in (${faultName(error)})`;
    return takeMails(stores, source, [{ raw, fingerprint: raw.sha256, reason, attachments: [wholeMail(raw)] }]);
  }
}
