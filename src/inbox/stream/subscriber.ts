import type { ServerResponse } from 'node:http';
import type { ReaderPosition } from '../../events/activity/position.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import type { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { block } from './events.ts';

/** Who reads a stream: a session, until its access token expires, or an API key. */
export type StreamHolder = Scope & {
  userId: UserId;
  sessionId: string | null;
  keyId: string | null;
  /** Infinite for a key. */
  expiresAtMs: number;
};

/** Proxies close a connection that is silent for a minute, some after half a minute. */
const heartbeatMs = 15_000;
/** A reader that receives nothing of its waiting data for this long is disconnected. It can reconnect and resume. */
const stalledMsMax = 30_000;

/** One open stream: a response that does not end by itself. Has no timers or listeners, as there may be thousands. */
export class Subscriber {
  readonly holder: StreamHolder;
  /** Everything up to here was written. Undefined until the start position is known. */
  position: ReaderPosition | undefined;
  /** Why the service ended the stream. */
  endedBy: string | undefined;
  readonly #response: ServerResponse;
  #writtenAtMs = performance.now();
  #takenBytes = 0;
  #takenAtMs = performance.now();

  constructor(response: ServerResponse, holder: StreamHolder, position: ReaderPosition | undefined) {
    this.#response = response;
    this.holder = holder;
    this.position = position;
    // Nothing leaves before `beginAt`, not even the head: a reader whose stream is open may count on its events.
    if (position === undefined) response.cork();
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** The reader has not yet received the written text. Callers write nothing more until it has. */
  get isFull(): boolean {
    return this.#response.writableNeedDrain;
  }

  write(text: string | Buffer): void {
    if (this.isClosed || text.length === 0) return;
    this.#writtenAtMs = performance.now();
    this.#response.write(text);
  }

  /** Sends the reader its position without an event: a client also adopts the id of a block that has only an id. */
  beginAt(position: ReaderPosition): void {
    this.position = position;
    this.write(block({ id: position }));
    this.#response.uncork();
  }

  /** Tells the reader that it cannot resume: it must read its data again, and continues from this position. */
  resetTo(position: ReaderPosition): void {
    this.position = position;
    this.write(block({ id: position, event: 'reset', data: {} }));
  }

  /** Resolves once the reader has received the written text, or is gone. */
  drained(): Promise<void> {
    const response = this.#response;
    if (!this.isFull || this.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const onChange = (): void => {
        response.off('drain', onChange).off('close', onChange);
        resolve();
      };
      response.on('drain', onChange).on('close', onChange);
    });
  }

  /**
   * For regular calls: sends a heartbeat to the reader and the proxies before it, or disconnects a stalled reader, also
   * after the stream's end.
   */
  beat(nowMs: number): void {
    const { socket, writableLength } = this.#response;
    // Counts received bytes instead of `isFull`: with few events the buffer would take hours to fill.
    const takenBytes = socket === null ? 0 : socket.bytesWritten - socket.writableLength;
    if (writableLength === 0 || takenBytes !== this.#takenBytes) {
      this.#takenBytes = takenBytes;
      this.#takenAtMs = nowMs;
    }
    if (nowMs - this.#takenAtMs > stalledMsMax) this.cut('stalled');
    else if (writableLength === 0 && nowMs - this.#writtenAtMs >= heartbeatMs) this.write(':\n\n');
  }

  /** Ends the stream. With a fault the reader learns the reason; without one it reconnects. */
  end(fault?: AppError): void {
    if (this.isClosed) return;
    if (fault !== undefined) this.write(block({ event: 'end', data: fault.body }));
    const reason = fault?.key ?? 'service';
    // A reader that receives nothing would not receive the end either.
    if (this.isFull) this.cut(reason);
    else {
      this.endedBy = reason;
      this.#response.end();
    }
  }

  /** Disconnects without an end event. The reset also discards the rest in the system's buffer. */
  cut(reason: string): void {
    const { socket } = this.#response;
    this.endedBy ??= reason;
    if (socket?.destroyed === false) socket.resetAndDestroy();
    this.#response.destroy();
  }
}
