import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describeCorpus } from '../../../test/harness/corpus.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { importMails } from './import/import.ts';
import type { MailSource } from './raw-mails.ts';

// `scripts/corpus-mail.ts` tries more.
const shuffles = 2;

/** The results that must not depend on file order: the grouping, and each live ticket's subject and requester. */
async function conversationsOf(house: ReturnType<typeof useHouse>, { workspaceId }: Person) {
  const rows = await house.app.db.rows<{ subject: string; requester: string; mails: string[] }>(sql`
    select t.subject, concat(c.name, ' <', c.email, '>') as requester,
      array_agg(coalesce(m.rfc_message_id, m.threading->>'fingerprint') order by m.rfc_message_id) as mails
    from tickets t
    join messages m on m.workspace_id = ${workspaceId} and m.ticket_id = t.id
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    where t.workspace_id = ${workspaceId} and t.merged_into_id is null
    group by t.workspace_id, t.id, c.workspace_id, c.id
    order by min(m.rfc_message_id)`);
  return rows;
}

describeCorpus('the corpus', (corpus) => {
  const house = useHouse();
  const filesOf = (folder: string) =>
    readdirSync(join(corpus, folder)).map((name) => ({ source: name, raw: readFileSync(join(corpus, folder, name)) }));

  const importInto = (owner: Person, mails: { source: string; raw: Buffer }[]) => {
    const source: MailSource = {
      workspaceId: owner.workspaceId,
      origin: 'import',
      via: 'import',
      mailboxId: null,
      receivedAt: house.clock.now(),
    };
    return importMails(house.app, {
      source,
      mails: (async function* () {
        yield* mails;
      })(),
      signal: new AbortController().signal,
      onProgress: () => {},
    });
  };

  it('of a mailing list gives the same seven conversations in any file order, even when imported twice', async () => {
    const files = filesOf('list-threads');
    const expected = await makeOwner(house);
    expect(await importInto(expected, files)).toMatchObject({
      read: 210,
      new: 176,
      known: 34,
      quarantined: 0,
      tickets: 7,
    });
    const conversations = await conversationsOf(house, expected);
    expect(conversations).toHaveLength(7);
    expect(conversations.flatMap(({ mails }) => mails)).toHaveLength(176);

    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(files, { minLength: files.length }), async (shuffled) => {
        const owner = await makeOwner(house);
        expect(await importInto(owner, shuffled)).toMatchObject({ new: 176, tickets: 7 });
        expect(await conversationsOf(house, owner)).toEqual(conversations);
        expect(await importInto(owner, shuffled)).toMatchObject({ new: 0, known: 210, tickets: 0 });
        expect(await conversationsOf(house, owner)).toEqual(conversations);
      }),
      { numRuns: shuffles, endOnFailure: true },
    );
  }, 120_000);

  it('that two processes import at once is imported once', async () => {
    const files = filesOf('list-threads');
    const owner = await makeOwner(house);
    const both = await Promise.all([importInto(owner, files), importInto(owner, files.toReversed())]);
    expect(both[0].new + both[1].new).toBe(176);
    expect(both[0].tickets + both[1].tickets).toBe(7);
    expect(await conversationsOf(house, owner)).toHaveLength(7);
  });

  it('of odd mails ends as messages or in the quarantine, with none lost', async () => {
    const files = filesOf('messages');
    const owner = await makeOwner(house);
    const totals = await importInto(owner, files);
    expect(totals.read).toBe(files.length);
    expect(totals.new + totals.quarantined + totals.known).toBe(files.length);
    const states = await house.app.db.rows<{ state: string; isKept: boolean }>(sql`
      select state, message_id is not null as "isKept" from raw_mails where workspace_id = ${owner.workspaceId}`);
    expect(states.every(({ isKept }) => isKept)).toBe(true);
  });
});
