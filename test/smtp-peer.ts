import { createServer, type Server, type Socket } from 'node:net';

/** Where a mail is on its way in: before the greeting, at each command before its answer, at the first bytes of the content, at its final dot, and when that is answered. */
export type SmtpStep = 'connect' | 'ehlo' | 'mail' | 'rcpt' | 'data' | 'content' | 'dot' | 'taken';

/** What the peer does at a step: says this line, says nothing any more, or breaks the connection; undefined: what a server says that takes the mail. */
export type SmtpTurn = `${number} ${string}` | 'silence' | 'hang up' | undefined;

export type ReceivedMail = { from: string; to: string[]; raw: string };

export type SmtpPeer = {
  url: string;
  /** Whose final dot came, answered or not. */
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

/** An SMTP server (RFC 5321) of few words, which does at each step of a mail as the test says. */
export async function openSmtpPeer(turnAt: TurnAt = () => undefined, onPort = 0): Promise<SmtpPeer> {
  const sockets = new Set<Socket>();
  const received: ReceivedMail[] = [];
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    converse(socket, turnAt, received).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(onPort, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number }; // it listens on TCP
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

/** Command lines; of a content `begun` when its first bytes are here, then the whole. What comes meanwhile waits its turn. */
async function* partsOf(socket: Socket, isContent: () => boolean): AsyncGenerator<string> {
  let buffered = '';
  let hasBegun = false;
  for await (const chunk of socket) {
    buffered += (chunk as Buffer).toString('latin1'); // no encoding is set
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
