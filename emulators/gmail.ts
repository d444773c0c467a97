import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeVirtualClock } from './clock.ts';
import { type Commands, makeCommands } from './gmail/commands.ts';
import { openFaults } from './gmail/faults.ts';
import { send, serve } from './gmail/http.ts';
import type { Mailbox } from './gmail/mailbox.ts';
import { openOAuth } from './gmail/oauth.ts';
import { type OnOutgoing, openPostOffice } from './gmail/post.ts';
import { openPush } from './gmail/push.ts';
import { openPushTokens } from './gmail/push-token.ts';
import { openWatching } from './gmail/watch.ts';
import type { Settings, World } from './gmail/world.ts';
import { randomOf } from './random.ts';

/**
 * Stands in for Gmail: its API, Google's consent page and token endpoint, and the Pub/Sub subscription that pushes to
 * us. Any caller may read all mail and get tokens for any account, so it listens on this machine alone.
 *
 * On its own: `node emulators/gmail.ts [port]`. Each command of gmail/commands.ts is also `POST /control/<its name>`.
 * The body names the arguments in a JSON object, raw mail and files in base64; see gmail/control.ts.
 */
export type GmailEmulator = Commands & {
  url: string;
  /** The service's settings that point to this emulator. */
  settings: Record<string, string>;
  close(): Promise<void>;
};

export type GmailEmulatorOptions = Partial<Settings> & {
  port?: number;
  now?: () => Date;
  seed?: number;
  client?: { id: string; secret: string };
  /** The service account that signs pushes, and its issuer. */
  serviceAccount?: string;
  issuer?: string;
  onOutgoing?: OnOutgoing;
};

const usualSettings: Settings = {
  unitsPerMinute: 6_000,
  rewritesMessageIds: true,
  hidesHistoryLabels: false,
  pushIntervalMs: 1_000,
  project: undefined,
  endpoint: undefined,
  audience: undefined,
  ackDeadlineMs: 10_000,
  deadLetterAfter: null,
  historyIdAs: 'number',
  base64: 'standard',
};

export async function openGmailEmulator(options: GmailEmulatorOptions = {}): Promise<GmailEmulator> {
  const {
    port = 0,
    now = () => new Date(),
    seed = 1,
    client = { id: 'client-of-kontor', secret: 'secret-of-kontor' },
    serviceAccount = 'gmail-push@kontor.iam.gserviceaccount.com',
    issuer = 'https://accounts.google.com',
    onOutgoing = () => undefined,
    ...given
  } = options;
  const settings: Settings = { ...usualSettings, ...given };
  const clock = makeVirtualClock(now);
  const mailboxes = new Map<string, Mailbox>();
  const oauth = openOAuth({ clock, mailboxes, client });
  const audience = () => settings.audience ?? settings.endpoint ?? '';
  const tokens = openPushTokens({ clock, issuer, serviceAccount, audience });
  const push = openPush({ clock, random: randomOf(seed, 1), token: tokens.current, settings });
  const watching = openWatching({ clock, push, settings });
  const { onChange } = watching;
  const post = openPostOffice({ clock, random: randomOf(seed, 2), mailboxes, onChange, onOutgoing });
  const world: World = {
    seed,
    clock,
    mailboxes,
    oauth,
    post,
    watching,
    onChange,
    push,
    tokens,
    faults: openFaults(randomOf(seed, 3)),
    requests: [],
    settings,
  };
  const emulator = { ...makeCommands(world), url: '', settings: {} };

  // Keeps idle connections open for long, so that only scripted faults break a client's requests.
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    serve(emulator, world, request, response).catch((error: unknown) => {
      if (!response.headersSent) send(response, { status: 500, body: { error: String(error) } });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // The server listens on TCP, so its address is an object.
  emulator.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  emulator.settings = settingsOf(emulator.url, { client, serviceAccount, issuer });
  return Object.assign(emulator, {
    close: () =>
      new Promise<void>((resolve) => {
        push.close();
        clock.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

function settingsOf(
  url: string,
  {
    client,
    serviceAccount,
    issuer,
  }: { client: { id: string; secret: string }; serviceAccount: string; issuer: string },
): Record<string, string> {
  return {
    MAIL_B_API_URL: url,
    MAIL_B_TOKEN_URL: `${url}/token`,
    MAIL_B_AUTHORIZE_URL: `${url}/o/oauth2/v2/auth`,
    MAIL_B_CLIENT_ID: client.id,
    MAIL_B_CLIENT_SECRET: client.secret,
    MAIL_B_TOPIC: 'projects/kontor/topics/mail',
    MAIL_B_PUSH_ISSUER: issuer,
    MAIL_B_PUSH_JWKS_URI: `${url}/oauth2/v3/certs`,
    MAIL_B_PUSH_SERVICE_ACCOUNT: serviceAccount,
  };
}

if (import.meta.main) {
  const { settings } = await openGmailEmulator({ port: Number(process.argv[2] ?? 9_300) });
  for (const [name, value] of Object.entries(settings)) process.stdout.write(`${name}=${value}\n`);
}
