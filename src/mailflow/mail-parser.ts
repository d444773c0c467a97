import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTurns } from '../lib/in-turns.ts';
import { joinBytes } from '../lib/join-bytes.ts';
import { openWorkerPool } from '../platform/worker-pool.ts';
import { faultName, isOfThisMail } from './mail-faults.ts';
import type { RawMail } from './raw-mails.ts';
import {
  type MailContent,
  type MailToRead,
  type ReadMail,
  readMail,
  type UnreadableContent,
  type UnreadableMail,
} from './understand.ts';

export type MailParser = {
  /**
   * Parses a raw mail. A mail that cannot be parsed, for any reason, comes out as unreadable. Throws only after
   * `close`.
   */
  parse(raw: RawMail): Promise<ReadMail | UnreadableMail>;
  close(): Promise<void>;
};

export type MailParserLimits = { inPlaceBytesMax: number; heapMbMax: number; secondsMax: number };

const limitsDefault: MailParserLimits = {
  // Covers most mails, including newsletters. Parsing takes 1 to 2 ms, and 15 ms for hostile mails. Starting a thread
  // takes 300 ms.
  inPlaceBytesMax: 64 * 1024,
  // Twice the highest need of any tested mail.
  heapMbMax: 128,
  // A mail of 40 MB takes a second or two on an idle processor.
  secondsMax: 120,
};

/** The priority of requests. With a lower priority, parsing took two and a half times as long on a busy machine. */
const niceness = 0;

/** Parses small mails in place, one per turn of the event loop, and larger mails one at a time in a worker thread. */
export function openMailParser(limits: Partial<MailParserLimits> = {}): MailParser {
  const { inPlaceBytesMax, ...poolLimits } = { ...limitsDefault, ...limits };
  const pool = openWorkerPool<MailToRead, MailContent | UnreadableContent>({
    module: new URL('./parse-worker.ts', import.meta.url),
    threadsMax: 1,
    // The callers hold the mails and limit their number.
    waitingMax: Number.POSITIVE_INFINITY,
    niceness,
    ...poolLimits,
  });
  const inTurn = inTurns(1);
  const inPlace = (raw: RawMail) =>
    inTurn(async () => {
      const content = await readMail(raw);
      await nextTurn();
      return content;
    });
  const inThread = async ({ bytes, sha256, origin, mailboxId, receivedAt, envelope, hosted }: RawMail) => {
    // Transfers a copy, because an unreadable mail is still needed here for the quarantine.
    const copy = await joinBytes([bytes]);
    try {
      return await pool.ask(
        { bytes: copy, sha256, origin, mailboxId, receivedAt, envelope, hosted },
        { transfer: [copy.buffer] },
      );
    } catch (error) {
      if (!isOfThisMail(error)) throw error;
      return { fingerprint: sha256, reason: reasonOf(error) };
    }
  };
  return {
    parse: async (raw) => ({ raw, ...(await (raw.bytes.length > inPlaceBytesMax ? inThread(raw) : inPlace(raw))) }),
    close: pool.close,
  };
}

function reasonOf(error: unknown): string {
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') return 'it takes too much memory to read';
  if (faultName(error) === 'WorkerTimeout') return 'it takes too long to read';
  return `it could not be understood (${faultName(error)})`;
}
