import type { ServerResponse } from 'node:http';
import type { AppError } from '../lib/errors.ts';
import type { UserId, WorkspaceId } from '../lib/ids.ts';
import { block } from './events.ts';
import type { Position } from './position.ts';

/** By what right a stream is read: a session, until its access token runs out, or an API key. */
export type Holder = {
  workspaceId: WorkspaceId;
  userId: UserId;
  sessionId: string | null;
  keyId: string | null;
  /** Infinite for a key. */
  expiresAtMs: number;
};

/** Proxies take a connection for dead on which nothing came for a minute, some for half of one. */
const heartbeatMs = 15_000;
/** A reader that takes nothing of what there is for so long is cut off; it comes back, and goes on where it was. */
const stalledMsMax = 30_000;

/** One open stream: a response that does not end by itself. It keeps no timer and no listener, for there may be thousands. */
export class Subscriber {
  readonly holder: Holder;
  /** Everything up to here was written; undefined until it is known where "from now on" is. */
  position: Position | undefined;
  /** Why it was ended from here. */
  endedBy: string | undefined;
  readonly #response: ServerResponse;
  #writtenAtMs = performance.now();
  #takenBytes = 0;
  #takenAtMs = performance.now();

  constructor(response: ServerResponse, holder: Holder, position: Position | undefined) {
    this.#response = response;
    this.holder = holder;
    this.position = position;
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** More was written than its reader has taken: nothing else is, until it has. */
  get isFull(): boolean {
    return this.#response.writableNeedDrain;
  }

  write(text: string | Buffer): void {
    if (this.isClosed || text.length === 0) return;
    this.#writtenAtMs = performance.now();
    this.#response.write(text);
  }

  /** Tells the reader where it stands, without an event: a client takes over the id of a block that has nothing else. */
  beginAt(position: Position): void {
    this.position = position;
    this.write(block({ id: position }));
  }

  /** What happened since the reader's position cannot be told: it must read anew what it shows, and goes on from here. */
  resetTo(position: Position): void {
    this.position = position;
    this.write(block({ id: position, event: 'reset', data: {} }));
  }

  /** Resolves once the reader has taken what was written, or is gone. */
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

  /** To be called now and then: shows the reader, and what is between, that the stream lives, or cuts it off, also where it was ended. */
  beat(nowMs: number): void {
    const { socket, writableLength } = this.#response;
    // Also less than makes it full: what is written now and then would take hours to.
    const takenBytes = socket === null ? 0 : socket.bytesWritten - socket.writableLength;
    if (writableLength === 0 || takenBytes !== this.#takenBytes) {
      this.#takenBytes = takenBytes;
      this.#takenAtMs = nowMs;
    }
    if (nowMs - this.#takenAtMs > stalledMsMax) this.cut('stalled');
    else if (writableLength === 0 && nowMs - this.#writtenAtMs >= heartbeatMs) this.write(':\n\n');
  }

  /** With a fault the reader is told why; without one it is to come back. */
  end(fault?: AppError): void {
    if (this.isClosed) return;
    if (fault !== undefined) this.write(block({ event: 'end', data: fault.body }));
    const reason = fault?.key ?? 'service';
    // Who takes nothing would not take the end either.
    if (this.isFull) this.cut(reason);
    else {
      this.endedBy = reason;
      this.#response.end();
    }
  }

  /** Without an end, and without the system going on to offer what was written. */
  cut(reason: string): void {
    const { socket } = this.#response;
    this.endedBy ??= reason;
    if (socket?.destroyed === false) socket.resetAndDestroy();
    this.#response.destroy();
  }
}
