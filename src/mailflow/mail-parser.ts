import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTurns } from '../lib/in-turns.ts';
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
  /** What a raw mail says. A mail that cannot be read, for whatever reason, comes out as unreadable; throws only once closed. */
  parse(raw: RawMail): Promise<ReadMail | UnreadableMail>;
  close(): Promise<void>;
};

export type MailParserLimits = { inPlaceBytesMax: number; heapMbMax: number; secondsMax: number };

const limitsDefault: MailParserLimits = {
  // Most mails of people, newsletters too. Their parsing takes a millisecond or two, and 15 ms where it is made to be dear; a thread that is
  // not running yet would take 300 ms.
  inPlaceBytesMax: 64 * 1024,
  // Twice what any mail was found to need.
  heapMbMax: 128,
  // A mail of 40 MB takes a second or two, on a processor that others leave to it.
  secondsMax: 120,
};

/** As urgent as requests: on a busy machine a thread behind them took two and a half times as long. */
const niceness = 0;

/** Parses small mails in place, one between two turns of the event loop, and larger ones in a worker thread, one at a time. */
export function openMailParser(limits: Partial<MailParserLimits> = {}): MailParser {
  const { inPlaceBytesMax, ...poolLimits } = { ...limitsDefault, ...limits };
  const pool = openWorkerPool<MailToRead, MailContent | UnreadableContent>({
    module: new URL('./parse-worker.ts', import.meta.url),
    threadsMax: 1,
    // Who asks holds the mails, and bounds them.
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
    // The copy moves; the mail itself is still needed where it turns out that it cannot be taken in.
    const copy = new Uint8Array(bytes);
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
