import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { bounded, connect } from './connection.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts a server that does this with each connection. @returns its port */
async function serve(talk: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    talk(socket);
  });
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

const signIn = (port: number) => {
  const end = { host: 'imap.shop.example', port, security: 'none' as const };
  const login = { address: 'a@shop.example', imap: end, smtp: end, username: 'a', secret: { password: 'p' } };
  return connect(login, async () => ['127.0.0.1'], { silenceMs: 5_000, signInMs: 300 });
};

/** Writes the same bytes as long as the connection lives. */
function flood(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (socket.writable) if (!socket.write(bytes)) return;
  };
  socket.on('drain', more);
  more();
}

test('a line without an end is given up, and takes little memory', async () => {
  let sent = 0;
  const port = await serve((socket) => {
    flood(socket, Buffer.alloc(65_536, 65));
    socket.on('close', () => {
      sent = socket.bytesWritten;
    });
  });
  await expect(signIn(port)).rejects.toMatchObject({ kind: 'unavailable' });
  await expect.poll(() => sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

test('a sign-in during which the server keeps talking ends', async () => {
  const port = await serve((socket) => {
    socket.write('* OK hello\r\n');
    const timer = setInterval(() => socket.write('* OK still at it\r\n'), 20);
    socket.on('close', () => clearInterval(timer));
  });
  await expect(signIn(port)).rejects.toMatchObject({ kind: 'unavailable' });
});

/** Signs anybody in, and answers LIST without an end. @returns the bytes that it could send */
async function serveEndlessList(): Promise<{ port: number; sent: () => number }> {
  let sent = 0;
  const port = await serve((socket) => {
    socket.write('* OK [CAPABILITY IMAP4rev1] hello\r\n');
    socket.on('close', () => {
      sent = socket.bytesWritten;
    });
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (/ LIST .*\*/i.test(line)) flood(socket, Buffer.from('* LIST () "/" folder\r\n'.repeat(2_000)));
        else socket.write(`${line.split(' ')[0]} OK done\r\n`);
      }
    });
  });
  return { port, sent: () => sent };
}

test('an answer without an end is given up by its bytes', async () => {
  const { port, sent } = await serveEndlessList();
  const client = await signIn(port);
  const listed = bounded(client, () => client.list(), { bytesMax: 1024 * 1024 });
  await expect(listed).rejects.toMatchObject({ kind: 'unavailable', code: 'endless' });
  await expect.poll(sent).toBeGreaterThan(1024 * 1024);
});

test('an answer without an end is given up by its time', async () => {
  const { port } = await serveEndlessList();
  const client = await signIn(port);
  const listed = bounded(client, () => client.list(), { bytesMax: Number.POSITIVE_INFINITY, msMax: 300 });
  await expect(listed).rejects.toMatchObject({ kind: 'unavailable', code: 'endless' });
});
