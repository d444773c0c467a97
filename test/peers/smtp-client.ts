import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A client that sends given lines or bytes unchanged, and reads the server's answers. */
export type SmtpClient = {
  /** The next complete answer with all its lines, or `closed` if the connection ended. */
  answer(): Promise<string>;
  /** Sends a line, or several with CRLF between them, and returns the next answer. */
  say(line: string): Promise<string>;
  /** Sends bytes unchanged. */
  send(bytes: string | Uint8Array): void;
  /** Switches to TLS, with any certificate. */
  secure(): Promise<void>;
  /** Breaks the connection. */
  hangUp(): void;
};

/** Connects, and waits for the greeting. */
export async function openSmtpClient(port: number): Promise<SmtpClient> {
  let socket: Socket = connect(port, '127.0.0.1');
  let text = '';
  let isClosed = false;
  let wake = () => {};
  const listenTo = (other: Socket) => {
    socket = other;
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      wake();
    });
    socket
      .on('error', () => {})
      .on('close', () => {
        isClosed = true;
        wake();
      });
  };
  listenTo(socket);
  const answer = async (): Promise<string> => {
    for (;;) {
      const whole = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/.exec(text)?.[0];
      if (whole !== undefined) {
        text = text.slice(whole.length);
        return whole.trim();
      }
      if (isClosed) return 'closed';
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const client: SmtpClient = {
    answer,
    say: (line) => {
      socket.write(`${line}\r\n`);
      return answer();
    },
    send: (bytes) => socket.write(bytes),
    secure: async () => {
      socket.removeAllListeners('data');
      const secured = connectTls({ socket, rejectUnauthorized: false });
      await new Promise<void>((resolve, reject) => {
        secured.once('secureConnect', resolve).once('error', reject);
      });
      listenTo(secured);
    },
    hangUp: () => socket.destroy(),
  };
  await answer();
  return client;
}

/** A mail's bytes as sent after DATA: dots stuffed, and the final dot appended. */
export function stuffed(mail: Uint8Array): Buffer {
  const text = Buffer.from(mail)
    .toString('latin1')
    .replace(/(?<=^|\n)\./g, '..');
  return Buffer.from(`${text}${text.endsWith('\r\n') ? '' : '\r\n'}.\r\n`, 'latin1');
}

/**
 * Sends one mail, and returns the server's answer to it. Breaks the connection then.
 * @param options.quits says QUIT first, as clients do that have read the answer
 */
export async function sendMail(
  port: number,
  {
    from = 'ann@example.org',
    to,
    raw,
    quits = false,
  }: { from?: string; to: string[]; raw: Uint8Array; quits?: boolean },
): Promise<string> {
  const client = await openSmtpClient(port);
  try {
    await client.say('EHLO client.example.org');
    for (const command of [`MAIL FROM:<${from}>`, ...to.map((address) => `RCPT TO:<${address}>`), 'DATA']) {
      const answer = await client.say(command);
      if (!/^[23]/.test(answer)) return answer;
    }
    client.send(stuffed(raw));
    const answer = await client.answer();
    if (quits) await client.say('QUIT');
    return answer;
  } finally {
    client.hangUp();
  }
}
