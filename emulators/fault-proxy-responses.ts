/** The responses of an IMAP server, changed on their way. */

/** The faults between client and server. A test may change it at any time; connections look at each byte. */
export type ProxyFaults = {
  /** Ends each connection after so many bytes to the client, exactly. */
  cutAfterBytes: number | null;
  /** Ends each connection after so many bytes to the server, exactly. */
  cutSentAfterBytes: number | null;
  /** Sends nothing more to the client after so many bytes, and leaves the connection open. */
  stallAfterBytes: number | null;
  /** New connections are cut at random, on average after so many bytes to the client. */
  meanBytesToCut: number | null;
  /** Whole responses of the server that never arrive, with their literals, by their first line. */
  droppedResponses: RegExp | null;
  hiddenCapabilities: readonly string[];
  /** Added to each UIDVALIDITY, while the UIDs stay. */
  uidValidityShift: number;
  /** Refuses new connections. */
  isDown: boolean;
};

const newline = 0x0a;
/** Bytes without an end of line are no responses, such as TLS after STARTTLS: they pass as they are. */
const lineBytesMax = 64 * 1024;

/** @returns takes the server's bytes; the remaining bytes go to `send`, literals as they come */
export function makeResponseFilter(
  faults: Pick<ProxyFaults, 'droppedResponses' | 'hiddenCapabilities' | 'uidValidityShift'>,
  send: (bytes: Buffer) => void,
): (bytes: Buffer) => void {
  let line: Buffer = Buffer.alloc(0);
  let literalBytes = 0;
  let isDropped = false;
  /** Whether the next line goes on with a response after a literal. */
  let isWithin = false;

  const takeLine = (bytes: Buffer): void => {
    const text = bytes.toString('latin1');
    if (!isWithin) isDropped = faults.droppedResponses?.test(text) ?? false;
    literalBytes = Number(/\{(\d+)\}\r?\n$/.exec(text)?.[1] ?? 0);
    const isLast = !/\{\d+\}\r?\n$/.test(text);
    if (!isDropped) send(isWithin ? bytes : Buffer.from(rewrite(text, faults), 'latin1'));
    isWithin = !isLast;
  };

  return (bytes) => {
    let rest = bytes;
    while (rest.length > 0) {
      if (literalBytes > 0) {
        const part = rest.subarray(0, literalBytes);
        literalBytes -= part.length;
        rest = rest.subarray(part.length);
        if (!isDropped) send(part);
        continue;
      }
      const end = rest.indexOf(newline);
      line = Buffer.concat([line, end < 0 ? rest : rest.subarray(0, end + 1)]);
      rest = end < 0 ? Buffer.alloc(0) : rest.subarray(end + 1);
      if (end < 0 && line.length <= lineBytesMax && isText(line)) return;
      const whole = line;
      line = Buffer.alloc(0);
      if (end < 0) send(whole);
      else takeLine(whole);
    }
  };
}

/** A TLS record begins with a byte that no response begins with. */
function isText(bytes: Buffer): boolean {
  return (bytes[0] ?? 0) >= 0x20 || bytes[0] === 0x0d;
}

function rewrite(
  text: string,
  { hiddenCapabilities, uidValidityShift }: Pick<ProxyFaults, 'hiddenCapabilities' | 'uidValidityShift'>,
): string {
  let changed = text;
  if (hiddenCapabilities.length > 0)
    changed = changed.replace(/(\[CAPABILITY |^\* CAPABILITY )([^\]\r\n]*)/, (_all, start: string, names: string) => {
      const shown = names.split(' ').filter((name) => !hiddenCapabilities.includes(name));
      return `${start}${shown.join(' ')}`;
    });
  if (uidValidityShift !== 0)
    changed = changed.replace(
      /((?:\[|\()(?:[^\])]* )?(?:UIDVALIDITY|APPENDUID|COPYUID) )(\d+)/,
      (_all, start: string, value: string) => `${start}${Number(value) + uidValidityShift}`,
    );
  return changed;
}
