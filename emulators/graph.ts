import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeVirtualClock } from './clock.ts';
import { type Behaviour, usualBehaviour } from './graph/behaviour.ts';
import { type Commands, makeCommands } from './graph/commands.ts';
import { obey } from './graph/control.ts';
import { serve } from './graph/serve.ts';
import type { World } from './graph/world.ts';
import { randomOf } from './random.ts';

/**
 * Stands in for Microsoft 365: Entra's token endpoint at `/common/oauth2/v2.0`, Graph's mail at `/v1.0`, and customers
 * who send, receive and answer mail. It grants every consent, so it listens on this machine alone.
 *
 * On its own: `node emulators/graph.ts [port]`. Each command of the TypeScript API is also `POST /control/<command>`,
 * with its members in JSON and raw mail in base64.
 */
export type GraphEmulator = Commands & {
  url: string;
  apiUrl: string;
  tokenUrl: string;
  authorizeUrl: string;
  client: { id: string; secret: string };
  /** The service's settings that point to this emulator. */
  settings: Record<string, string>;
  close(): Promise<void>;
};

type EmulatorOptions = {
  port?: number;
  now?: () => Date;
  /** The same seed gives the same losses, orders and spellings. */
  seed?: number;
  behaviour?: Partial<Behaviour>;
  client?: { id: string; secret: string };
  /** Called with mail for addresses without a mailbox here. */
  onOutgoing?: (raw: Buffer, recipients: string[]) => unknown;
};

export async function openGraphEmulator({
  port = 0,
  now = () => new Date(),
  seed = 1,
  behaviour = {},
  client = { id: 'client-of-kontor', secret: 'secret-of-kontor' },
  onOutgoing,
}: EmulatorOptions = {}): Promise<GraphEmulator> {
  const agent = new Agent({ keepAlive: true });
  const world: World = {
    url: '',
    clock: makeVirtualClock(now),
    random: randomOf(seed),
    behaviour: { ...usualBehaviour, ...behaviour },
    client,
    mailboxes: new Map(),
    tokens: { access: new Map(), refresh: new Map(), codes: new Map() },
    approvedScopes: new Set(),
    subscriptions: new Map(),
    ended: [],
    endpoints: new Map(),
    uploads: new Map(),
    faults: [],
    outgoing: [],
    habits: new Map(),
    onOutgoing,
    pushes: [],
    requests: [],
    misuses: [],
    agent,
  };
  const commands = makeCommands(world);
  // A client that was busy for a while must not meet a connection that closes at that moment.
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    const isControl = request.url?.startsWith('/control/') === true;
    const done = isControl ? obey(commands, request, response) : serve(world, request, response);
    done.catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // The server listens on TCP, so its address is an object.
  world.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const apiUrl = `${world.url}/v1.0`;
  const tokenUrl = `${world.url}/common/oauth2/v2.0/token`;
  const authorizeUrl = `${world.url}/common/oauth2/v2.0/authorize`;
  return {
    ...commands,
    url: world.url,
    apiUrl,
    tokenUrl,
    authorizeUrl,
    client,
    settings: {
      MAIL_A_API_URL: apiUrl,
      MAIL_A_TOKEN_URL: tokenUrl,
      MAIL_A_AUTHORIZE_URL: authorizeUrl,
      MAIL_A_CLIENT_ID: client.id,
      MAIL_A_CLIENT_SECRET: client.secret,
    },
    close: () =>
      new Promise<void>((resolve) => {
        world.clock.close();
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

if (import.meta.main) {
  const { settings } = await openGraphEmulator({ port: Number(process.argv[2] ?? 9_110) });
  for (const [name, value] of Object.entries(settings)) process.stdout.write(`${name}=${value}\n`);
}
