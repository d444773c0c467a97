import type { UserId, WorkspaceId } from '../lib/ids.ts';
import type { Logger } from '../platform/log.ts';
import { openNotifyPace } from './notify-pace.ts';

/** An event for open streams. It is not stored, and may be lost. */
export type Signal = {
  workspaceId: WorkspaceId;
  /** The recipient; null for every member. */
  userId: UserId | null;
  event: string;
  data: object;
  /** The signal is only for processes: streams do not send it on. */
  isInternal?: true;
};

/** PostgreSQL limits a payload to 8,000 bytes. */
const payloadBytesMax = 7_900;
const waitingMax = 1_000;

/** Sends signals in batches, each a JSON array in one notification. */
export function openSignals(publish: (payload: string) => Promise<unknown>, log: Logger) {
  const waiting: string[] = [];
  const takeBatch = (): string[] => {
    // Two brackets, less one comma: the last signal has no comma.
    let bytes = 1;
    const end = waiting.findIndex((text) => {
      bytes += Buffer.byteLength(text) + 1;
      return bytes > payloadBytesMax;
    });
    return waiting.splice(0, end < 0 ? waiting.length : end);
  };
  const pace = openNotifyPace({
    hasWaiting: () => waiting.length > 0,
    send: async () => {
      await publish(`[${takeBatch().join()}]`).catch((err: unknown) => {
        log.debug({ err }, 'signals to the streams of other processes could not be sent');
      });
    },
  });
  return {
    send: (signal: Signal): void => {
      const text = JSON.stringify(signal);
      if (waiting.length >= waitingMax || Buffer.byteLength(text) + 2 > payloadBytesMax) return;
      waiting.push(text);
      pace.schedule();
    },
    close: pace.close,
  };
}
