import { afterAll } from 'vitest';
import type { ImapAccount } from '../../emulators/imap/mailbox.ts';
import { type ImapEmulatorOptions, openImapEmulator } from '../../emulators/imap.ts';
import { sql } from '../../src/ground/database/sql.ts';
import { useHouse } from '../harness/harness.ts';
import { syncMailbox } from '../harness/sync-now.ts';
import { makeOwner, type Person } from './factories.ts';

let count = 0;

/** A house beside the emulator of an IMAP server. Await this at the top of a test file. */
export async function useImapMail(emulated: ImapEmulatorOptions = {}) {
  const house = useHouse({ MAIL_ALLOWED_NETWORKS: '127.0.0.0/8' });
  const server = await openImapEmulator({ isPlain: true, now: () => house.clock?.now() ?? new Date(), ...emulated });
  afterAll(() => server.close());

  /**
   * A workspace with a mailbox that was read once.
   * @param prepare runs before the mailbox is connected
   */
  async function openDesk(options: object = {}, prepare: (address: string, account: ImapAccount) => void = () => {}) {
    const owner = await makeOwner(house);
    const address = `desk${++count}@office.example`;
    const account = server.addAccount(address, 'secret');
    prepare(address, account);
    const end = (port: number) => ({ host: server.host, port, security: 'none' as const });
    const ends = { imap: end(server.ports.imap), smtp: end(server.ports.submission) };
    const body = { provider: 'imap', address, ...ends, password: 'secret', ...options };
    const connected = await owner.call('POST', '/mailboxes', body);
    const mailbox = { workspaceId: owner.workspaceId, mailboxId: connected.body.id as string };
    const read = async () => {
      await syncMailbox(house.app, mailbox);
      await house.drain();
    };
    if (connected.status === 201) await read();
    return { owner, address, account, connected, mailbox, id: mailbox.mailboxId, body, read };
  }

  /** From the tables, because tokens expire when the clock advances. */
  async function subjectsOf({ owner }: { owner: Person }): Promise<string[]> {
    const tickets = await house.app.db.rows<{ subject: string }>(sql`
      select subject from tickets where workspace_id = ${owner.workspaceId} order by subject`);
    return tickets.map(({ subject }) => subject);
  }

  const usual = { ...server.quirks };
  /** The server has the habits again with which it began, and reads for no earlier desk. */
  async function beginAnew(): Promise<void> {
    await house.app.db.tx((tx) => tx.run(sql`update mailboxes set status = 'paused'`));
    Object.assign(server.quirks, usual);
    server.clearFaults();
  }

  return { house, server, openDesk, subjectsOf, beginAnew };
}

/** A mail as it came, with a Message-ID of its own. */
export function mailOf(subject: string, headers: readonly string[] = [], receivedAt?: Date): string {
  return [
    ...(receivedAt === undefined ? [] : [`Received: from mx by mail; ${receivedAt.toUTCString()}`]),
    'From: Mia <mia@example.com>',
    `Subject: ${subject}`,
    `Message-ID: <mail-${++count}@example.com>`,
    ...headers,
    '',
    'Good day.',
    '',
  ].join('\r\n');
}
