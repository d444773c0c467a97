import { type connect, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { useReceiver } from '../../../test/harness/receiver.ts';
import { type Network, parseNetwork } from '../../ground/lib/networks.ts';
import { openReceivers, type PostResult } from './receivers.ts';

const loopback = parseNetwork('127.0.0.0/8') as Network;
const names: Record<string, string[]> = {
  'inside.test': ['10.0.0.5'],
  'mixed.test': ['93.184.215.14', '127.0.0.1'],
  'public.test': ['93.184.215.14'],
  'ours.test': ['127.0.0.1'],
};
const resolve = async (name: string) => names[name] ?? [];
const receivers = openReceivers([loopback], resolve);
const strict = openReceivers([], resolve);
const receiver = useReceiver();
afterEach(() => {
  receiver.answer = 200;
  receiver.received.length = 0;
});

const post = (url: string, timeoutMs = 5_000, to = receivers): Promise<PostResult> =>
  to.post({ url, headers: { 'content-type': 'application/json' }, body: '{"a":"ü"}', timeoutMs });

describe('an address of a webhook', () => {
  test.each([
    ['https://public.test/hook', undefined],
    ['https://93.184.215.14:8443/hook?key=1', undefined],
    ['https://unknown.test/', undefined],
    ['hook', 'not_a_url'],
    ['https://', 'not_a_url'],
    ['ftp://public.test/', 'url_not_https'],
    ['file:///etc/passwd', 'url_not_https'],
    ['http://public.test/', 'url_not_https'],
    ['http://unknown.test/', 'url_unresolved'],
    ['https://user@public.test/', 'url_with_user'],
    ['https://:secret@public.test/', 'url_with_user'],
    ['https://inside.test/', 'url_unreachable'],
    ['https://mixed.test/', 'url_unreachable'],
    ['https://127.0.0.1/', 'url_unreachable'],
    ['https://2130706433/', 'url_unreachable'],
    ['https://0x7f.1/', 'url_unreachable'],
    ['https://0177.0.0.1/', 'url_unreachable'],
    ['https://localhost/', 'url_unreachable'],
    ['https://api.localhost./', 'url_unreachable'],
    ['https://[::1]/', 'url_unreachable'],
    ['https://[::ffff:10.0.0.1]/', 'url_unreachable'],
    ['https://[64:ff9b::a9fe:a9fe]/', 'url_unreachable'],
    ['http://169.254.169.254/latest/meta-data', 'url_unreachable'],
  ])('%s: %s', async (url, fault) => {
    expect(await strict.faultOf(url)).toBe(fault);
  });

  test('may be in a network that the operator allows, and then without TLS', async () => {
    for (const url of ['http://127.0.0.1:8080/', 'http://ours.test/', 'https://127.1.2.3/'])
      expect([url, await receivers.faultOf(url)]).toEqual([url, undefined]);
    expect(await receivers.faultOf('http://mixed.test/')).toBe('url_not_https');
    expect(await receivers.faultOf('http://10.0.0.5/')).toBe('url_unreachable');
  });
});

describe('a delivery', () => {
  test('is posted unchanged, with the given host name', async () => {
    expect(await post(`http://ours.test:${receiver.port}/hook?key=1`)).toEqual({ kind: 'answered', status: 200 });
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = receiver.received;
    expect([path, body, headers.host]).toEqual(['/hook?key=1', '{"a":"ü"}', `ours.test:${receiver.port}`]);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '10' });
  });

  test('returns the status, and follows no redirect', async () => {
    for (const status of [204, 400, 410, 500]) {
      receiver.answer = status;
      expect(await post(receiver.url)).toEqual({ kind: 'answered', status });
    }
    receiver.received.length = 0;
    receiver.answer = (response) => response.writeHead(307, { location: `${receiver.url}/inside` }).end();
    expect(await post(receiver.url)).toEqual({ kind: 'answered', status: 307 });
    expect(receiver.received).toHaveLength(1);
  });

  test('goes to the checked address, even if the name resolves elsewhere a moment later', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.5']];
    const rebinding = openReceivers([loopback], async () => answers.shift() ?? []);
    expect(await post(`http://rebinding.test:${receiver.port}`, 5_000, rebinding)).toMatchObject({ status: 200 });
    expect(await post(`http://rebinding.test:${receiver.port}`, 5_000, rebinding)).toEqual({
      kind: 'unreached',
      error: 'Its address is in a network that the service may not reach.',
    });
    expect([receiver.received.length, answers.length]).toEqual([1, 0]);
  });

  test.each(['inside.test', 'mixed.test', '127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])(
    'never reaches out to %s where that is not allowed',
    async (host) => {
      expect(await post(`https://${host}:${receiver.port}/`, 5_000, strict)).toEqual({
        kind: 'unreached',
        error: 'Its address is in a network that the service may not reach.',
      });
    },
  );

  test('times out when a receiver or a name server is silent or slow', async () => {
    const late = { kind: 'unreached', error: 'It did not answer within 0.1 seconds.' };
    receiver.answer = () => {};
    expect(await post(receiver.url, 100)).toEqual(late);
    const silent = openReceivers([loopback], () => new Promise(() => {}));
    expect(await post('http://silent.test/', 100, silent)).toEqual(late);
    const drip = await listenRaw((socket) => {
      const timer = setInterval(() => socket.write('x'), 10);
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      socket.on('close', () => clearInterval(timer));
    });
    expect(await post(drip.url, 100)).toEqual(late);
    await drip.close();
  });

  test('reads only the status of an endless or huge answer', async () => {
    receiver.answer = (response) => {
      const write = (): void => {
        while (response.write(Buffer.alloc(65_536))) if (response.destroyed) return;
      };
      response.writeHead(200).on('drain', write);
      write();
    };
    expect(await post(receiver.url)).toEqual({ kind: 'answered', status: 200 });
    receiver.answer = (response) => response.writeHead(200).write('a');
    expect(await post(receiver.url)).toEqual({ kind: 'answered', status: 200 });
  });

  test('explains in a sentence why it did not arrive', async () => {
    const error = async (url: string) => ((await post(url)) as { error?: string }).error;
    receiver.answer = (response) => response.destroy();
    expect(await error(receiver.url)).toBe('It broke off the connection.');
    expect(await error(`https://127.0.0.1:${receiver.port}`)).toMatch(
      /^Its certificate or its TLS is not valid: \w+\.$/,
    );
    expect(await error('http://unknown.test/')).toBe('Its name does not resolve.');
    expect(await error('http://127.0.0.1:9/')).toBe('It refused the connection.');
    const rude = await listenRaw((socket) => socket.end('220 mail.test ESMTP\r\n'));
    expect(await error(rude.url)).toBe('It did not answer in HTTP.');
    await rude.close();
  });

  test('leaves no connection open', async () => {
    receiver.answer = (response) => response.writeHead(200, { connection: 'keep-alive' }).end('ok');
    await post(receiver.url);
    expect(receiver.received[0]?.headers.connection).toBe('close');
  });
});

/** A server that answers as the test says, perhaps not even in HTTP. */
async function listenRaw(speak: (socket: ReturnType<typeof connect>) => void) {
  const sockets = new Set<ReturnType<typeof connect>>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    speak(socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(done));
    },
  };
}
