import { sql } from '../../src/ground/database/sql.ts';
import type { MessageId } from '../../src/ground/lib/ids.ts';
import { useHouse } from '../harness/harness.ts';
import { makeOwner, type Person } from './factories.ts';
import { ingestMails, mailOf as plainMailOf, ticketsOf } from './mails.ts';

type Envelope = { from: string; to: string[] };

/** A house whose agents answer by mail, and whose mail comes by SMTP. Call at the top of a test file. */
export function useAnswers() {
  const house = useHouse({ MAIL_FROM: 'Support <support@kontor.example>', SMTP_LISTEN: '127.0.0.1:2525' });

  let count = 0;
  /** Each mail has its own subject, so that none matches a ticket by subject. Its Date is now. */
  const mailOf = ({ headers = {}, ...rest }: Parameters<typeof plainMailOf>[0] = {}) =>
    plainMailOf({
      ...rest,
      headers: { Subject: `Printer number ${++count} burns`, Date: house.clock.now().toUTCString(), ...headers },
    });

  /** Ingests a mail as SMTP delivers it. */
  function receive({ workspaceId }: Person, mail: Buffer, envelope?: Envelope) {
    const source = {
      workspaceId,
      origin: 'live',
      via: 'smtp',
      mailboxId: null,
      receivedAt: house.clock.now(),
    } as const;
    return ingestMails(house.app, envelope === undefined ? source : { ...source, envelope }, [mail]);
  }

  const headerOf = (raw: string, name: string) =>
    new RegExp(`^${name}: *(.*)$`, 'im').exec(raw.replace(/\r\n[ \t]/g, ' '))?.[1]?.trim() ?? '';

  /** A ticket of Ann that an agent has answered by mail, and the sent mail. */
  async function answeredTicket() {
    const owner = await makeOwner(house);
    await receive(owner, mailOf());
    const [{ id }] = await ticketsOf(owner);
    const sent = await answer(owner, id);
    return { owner, id, sent };
  }

  async function answer(owner: Person, id: string) {
    const { body: message } = await owner.call('POST', `/tickets/${id}/messages`, {
      body: 'Unplug it.',
      sendEmail: true,
    });
    await house.drain();
    const raw = (await house.outbox()).at(-1) ?? '';
    return {
      raw,
      messageId: message.id as MessageId,
      rfcMessageId: headerOf(raw, 'Message-ID'),
      replyTo: /<?([^<>\s]+@[^<>\s]+)>?$/.exec(headerOf(raw, 'Reply-To'))?.[1] ?? '',
    };
  }

  const threadingOf = async ({ workspaceId }: Person) =>
    (
      await house.app.db.rows<{ threading: any }>(sql`
        select threading from messages
        where workspace_id = ${workspaceId} and direction = 'inbound' order by arrived_at desc limit 1`)
    )[0]?.threading;

  return { house, mailOf, receive, answeredTicket, answer, threadingOf };
}
