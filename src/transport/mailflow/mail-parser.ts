import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { inTurns, inTurnsOfEach } from '../../ground/lib/in-turns.ts';
import { joinBytes } from '../../ground/lib/join-bytes.ts';
import { openWorkerPool } from '../../ground/platform/worker-pool.ts';
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
   * @param of the workspace of the mail; its mails wait for each other, and no other workspace waits for them
   */
  parse(raw: RawMail, of: WorkspaceId): Promise<ReadMail | UnreadableMail>;
  close(): Promise<void>;
};

export type MailParserLimits = { inPlaceBytesMax: number; heapMbMax: number; secondsMax: number; threadsMax: number };

const limitsDefault: MailParserLimits = {
  // Covers most mails that people write. Parsing takes 1 to 2 ms, and at most 60 ms for hostile mails, which
  // `bench/prove/hostile-holds.ts` measures. Starting a thread takes 300 ms.
  inPlaceBytesMax: 16 * 1024,
  // Twice the highest need of any tested mail.
  heapMbMax: 128,
  // A mail of 40 MB takes a second or two on an idle processor.
  secondsMax: 10,
  // A mail that takes long leaves one for other workspaces.
  threadsMax: 2,
};

/** The priority of requests. With a lower priority, parsing took two and a half times as long on a busy machine. */
const niceness = 0;

/**
 * Parses small mails in place, one per turn of the event loop, and larger mails in worker threads. A workspace has one
 * thread at a time, so that workspaces take turns.
 */
export function openMailParser(limits: Partial<MailParserLimits> = {}): MailParser {
  const { inPlaceBytesMax, ...poolLimits } = { ...limitsDefault, ...limits };
  const pool = openWorkerPool<MailToRead, MailContent | UnreadableContent>({
    module: new URL('./parse-worker.ts', import.meta.url),
    // The callers hold the mails and limit their number.
    waitingMax: Number.POSITIVE_INFINITY,
    niceness,
    ...poolLimits,
  });
  const inTurn = inTurns(1);
  const ofWorkspace = inTurnsOfEach();
  const inPlace = (raw: RawMail, of: WorkspaceId) =>
    inTurn(async () => {
      const content = await readMail(raw);
      await nextTurn();
      return content;
    }, of);
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
    parse: async (raw, of) => {
      const isSmall = raw.bytes.length <= inPlaceBytesMax;
      return { raw, ...(await (isSmall ? inPlace(raw, of) : ofWorkspace(of, () => inThread(raw)))) };
    },
    close: pool.close,
  };
}

function reasonOf(error: unknown): string {
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') return 'it takes too much memory to read';
  if (faultName(error) === 'WorkerTimeout') return 'it takes too long to read';
  return `it could not be understood (${faultName(error)})`;
}
