import { afterAll } from 'vitest';
import { openGmailEmulator } from '../../emulators/gmail.ts';
import { openGraphEmulator } from '../../emulators/graph.ts';
import { useHouse } from '../harness/harness.ts';
import { syncMailbox } from '../harness/sync-now.ts';
import { makeOwner } from './factories.ts';
import { type HostedMailbox, putMailbox } from './put-mailbox.ts';

/** A house beside the emulators of both providers. Await this at the top of a test file. */
export async function useHostedMail() {
  const now = () => house.clock?.now() ?? new Date();
  const gmail = await openGmailEmulator({ now, unitsPerMinute: 1_000_000 });
  const graph = await openGraphEmulator({ now, behaviour: { sentDelayMs: 0 } });
  afterAll(() => Promise.all([gmail.close(), graph.close()]));

  const house = useHouse({ ...gmail.settings, ...graph.settings });

  let addresses = 0;

  /** A workspace with mailboxes, of Gmail by default. */
  async function openDesk(provider: 'mail-a' | 'mail-b' = 'mail-b') {
    const owner = await makeOwner(house);
    const { workspaceId } = owner;
    const emulator = provider === 'mail-a' ? graph : gmail;
    const connect = async (options: { defaultAssigneeId?: string; defaultTags?: string[] } = {}) => {
      const address = `desk${++addresses}@office.example`;
      const { refreshToken } = emulator.addMailbox({ address });
      const mailbox = await putMailbox(house, { workspaceId, provider, address, refreshToken, ...options });
      await read(mailbox);
      return mailbox;
    };
    const read = async (...mailboxes: HostedMailbox[]) => {
      for (const { id } of mailboxes) await syncMailbox(house.app, { workspaceId, mailboxId: id });
      await house.drain();
    };
    return { owner, connect, read, emulator };
  }

  return { house, gmail, graph, openDesk };
}
