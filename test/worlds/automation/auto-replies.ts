import { type AnsweredFact, answerAutomatically } from '../../../src/automation/auto-replies/answer-automatically.ts';
import { sql } from '../../../src/ground/database/sql.ts';
import type { House } from '../../harness/harness.ts';
import type { Person } from '../factories.ts';
import { ingest, mailOf } from '../mails.ts';

/** A workspace with automatic replies, whose facts the test reads by itself. */
export async function openAutoReplies(house: House, owner: Person) {
  const { workspaceId } = owner;
  const done = async (method: string, path: string, body: object = {}) => {
    const { status, body: answer } = await owner.call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const address = house.app.config.mailFrom.email;
  const text = {
    name: 'Received',
    body: 'Hello {{ contact.firstName | default: "there" }}, we got #{{ ticket.number }}.',
  };
  const { id: savedReplyId } = await done('POST', '/saved-replies', { ...text, isShared: true });
  let last = '00000000-0000-0000-0000-000000000000';
  return {
    address,
    savedReplyId,
    done,
    make: (input: object) =>
      done('POST', '/auto-replies', { name: 'Auto', kind: 'received', savedReplyId, isActive: true, ...input }),
    /** A mail to the workspace. Its envelope names its writer unless the headers say otherwise. */
    receive: (headers: Record<string, string> = {}, from = 'ann@example.org') =>
      ingest(house, owner, [
        mailOf({ headers: { 'Return-Path': `<${from}>`, From: `Ann Example <${from}>`, To: address, ...headers } }),
      ]),
    /** Reads the facts that are new, as the reader of rules does. */
    readOn: () =>
      house.app.db.tx(async (tx) => {
        const facts = await tx.rows<AnsweredFact & { id: string }>(sql`
          select a.id, a.type, a.data, a.cause, a.created_at as "createdAt",
            json_build_object('id', a.ticket_id) as ticket
          from activity a
          where a.workspace_id = ${workspaceId} and a.ticket_id is not null and a.id > ${last}::uuid
          order by a.id`);
        for (const fact of facts) await answerAutomatically(tx, workspaceId, fact);
        last = facts.at(-1)?.id ?? last;
      }),
    /** What was sent and withheld, oldest first. */
    log: () =>
      house.app.db.rows<{ kind: string; withheld: string | null }>(sql`
        select kind, withheld from auto_reply_log where workspace_id = ${workspaceId} order by created_at, id`),
  };
}
