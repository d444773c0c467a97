import { createServer, type Server, type Socket } from 'node:net';

/**
 * The steps of an incoming mail: before the greeting, before the answer to each command, at the first bytes of the
 * content, at the final dot, and after the answer to it.
 */
export type SmtpStep = 'connect' | 'ehlo' | 'mail' | 'rcpt' | 'data' | 'content' | 'dot' | 'taken';

/**
 * The behaviour of the peer at a step: it answers this line, says nothing more, or hangs up. Undefined: the usual
 * answer of a server that accepts the mail.
 */
export type SmtpTurn = `${number} ${string}` | 'silence' | 'hang up' | undefined;

export type ReceivedMail = { from: string; to: string[]; raw: string };

export type SmtpPeer = {
  url: string;
  /** Mails whose final dot arrived, answered or not. */
  received: ReceivedMail[];
  close(): Promise<void>;
};

const usual: Record<SmtpStep, string> = {
  connect: '220 peer',
  ehlo: '250 peer',
  mail: '250 sender',
  rcpt: '250 recipient',
  data: '354 go on',
  content: '',
  dot: '250 taken',
  taken: '',
};
const commands: Record<string, SmtpStep> = { EHLO: 'ehlo', MAIL: 'mail', RCPT: 'rcpt', DATA: 'data' };

/** A minimal SMTP server (RFC 5321) whose behaviour at each step the test decides. */
export async function openSmtpPeer(turnAt: TurnAt = () => undefined, onPort = 0): Promise<SmtpPeer> {
  const sockets = new Set<Socket>();
  const received: ReceivedMail[] = [];
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    converse(socket, turnAt, received).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(onPort, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number }; // The server listens on TCP, so its address is an object.
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type TurnAt = (step: SmtpStep, mail: ReceivedMail) => SmtpTurn | Promise<SmtpTurn>;

async function converse(socket: Socket, turnAt: TurnAt, received: ReceivedMail[]): Promise<void> {
  let mail: ReceivedMail = { from: '', to: [], raw: '' };
  /** @returns whether the conversation goes on as usual */
  const take = async (step: SmtpStep): Promise<boolean> => {
    const turn = await turnAt(step, mail);
    if (turn === 'hang up') throw new Error('the peer hung up');
    if (turn !== 'silence' && (turn ?? usual[step]) !== '') socket.write(`${turn ?? usual[step]}\r\n`);
    return turn === undefined;
  };
  await take('connect');
  let isContent = false;
  for await (const part of partsOf(socket, () => isContent)) {
    if (part === 'begun') {
      await take('content');
    } else if (isContent) {
      isContent = false;
      mail.raw = part.replaceAll('\r\n..', '\r\n.');
      received.push(mail);
      await take('dot');
      await take('taken');
      mail = { from: '', to: [], raw: '' };
    } else {
      const step = commands[part.slice(0, 4).toUpperCase()];
      const address = /<(.*)>/.exec(part)?.[1] ?? '';
      if (step === 'mail') mail.from = address;
      if (step === 'rcpt') mail.to.push(address);
      if (step === undefined) socket.write('250 ok\r\n');
      else isContent = (await take(step)) && step === 'data';
    }
  }
}

/**
 * Yields command lines. Of a mail's content it yields `begun` at the first bytes, and then the whole. Later bytes wait.
 */
async function* partsOf(socket: Socket, isContent: () => boolean): AsyncGenerator<string> {
  let buffered = '';
  let hasBegun = false;
  for await (const chunk of socket) {
    buffered += (chunk as Buffer).toString('latin1'); // The socket has no encoding set, so chunks are buffers.
    for (;;) {
      if (isContent() && !hasBegun && buffered !== '') {
        hasBegun = true;
        yield 'begun';
      }
      const end = isContent() ? buffered.indexOf('\r\n.\r\n') : buffered.indexOf('\r\n');
      if (end < 0) break;
      const part = buffered.slice(0, isContent() ? end + 2 : end);
      buffered = buffered.slice(isContent() ? end + 5 : end + 2);
      hasBegun = false;
      yield part;
    }
  }
}
