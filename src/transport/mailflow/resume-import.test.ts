import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { skipOnCitus } from '../../../test/harness/skip-on-citus.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sha256Of } from '../../ground/blobs/blobs.ts';
import { sql } from '../../ground/database/sql.ts';
import { nilId } from '../../ground/lib/ids.ts';
import { importMails } from './import/import.ts';
import { type MailSource, storeRawMails } from './raw-mails.ts';
import { readPendingMails } from './read-pending.ts';

const house = useHouse();

const sourceOf = ({ workspaceId }: Person): MailSource => ({
  workspaceId,
  origin: 'import',
  via: 'import',
  mailboxId: null,
  receivedAt: house.clock.now(),
});

const mailOf = (at: number, bytes = 0) =>
  Buffer.from(`From: a@example.org\nSubject: Mail ${at}\nMessage-ID: <${at}@example.org>\n\n${'x'.repeat(bytes)}\n`);

const importInto = (owner: Person, mails: Buffer[] = []) =>
  importMails(house.app, {
    source: sourceOf(owner),
    mails: (async function* () {
      for (const raw of mails) yield { source: 'test', raw };
    })(),
    signal: new AbortController().signal,
    onProgress: () => {},
  });

const blobOf = ({ workspaceId }: Person, mail: Buffer) => {
  const sha256 = sha256Of(mail);
  return join(house.dataDir, 'blobs', workspaceId, sha256.slice(0, 2), `${sha256}.gz`);
};

const statesOf = async ({ workspaceId }: Person) =>
  (
    await house.app.db.rows<{ state: string }>(sql`
      select state from raw_mails where workspace_id = ${workspaceId} order by size_bytes`)
  ).map(({ state }) => state);

describe('an import after a killed one', () => {
  it('counts each mail that it reads once, and tells of the mails of the killed one beside', async () => {
    const owner = await makeOwner(house);
    const mails = [1, 2, 3].map((at) => mailOf(at));
    await storeRawMails(house.app, sourceOf(owner), mails.slice(0, 2));
    const first = await importInto(owner, mails);
    expect(first).toMatchObject({ read: 3, new: 1, known: 2, quarantined: 0, resumed: 2, tickets: 3 });
    const next = await importInto(owner, mails);
    expect(next).toMatchObject({ read: 3, new: 0, known: 3, quarantined: 0, resumed: 0, tickets: 0 });
  });

  it('holds no more stored mails in memory than newly read ones', async () => {
    const owner = await makeOwner(house);
    await storeRawMails(
      house.app,
      sourceOf(owner),
      [1, 2, 3, 4].map((at) => mailOf(at, 500)),
    );
    const batches: number[] = [];
    for (let afterId: string | undefined = nilId; afterId !== undefined; ) {
      const { mails, lastId } = await readPendingMails(house.app, sourceOf(owner), {
        afterId,
        countMax: 3,
        bytesMax: 900,
      });
      if (lastId !== undefined) batches.push(mails.length);
      afterId = lastId;
    }
    expect(batches).toEqual([2, 2]);
    expect(await importInto(owner)).toMatchObject({ resumed: 4, new: 0, quarantined: 0 });
  });

  it('gives up a mail whose bytes are lost or damaged, lists it in the quarantine, and takes the others', async () => {
    const owner = await makeOwner(house);
    const mails = [mailOf(1, 1), mailOf(2, 2), mailOf(3, 3)] as const;
    await storeRawMails(house.app, sourceOf(owner), mails);
    await rm(blobOf(owner, mails[0]));
    await writeFile(blobOf(owner, mails[1]), 'broken');
    expect(await importInto(owner)).toMatchObject({ resumed: 3, new: 0, quarantined: 2 });
    expect(await statesOf(owner)).toEqual(['quarantined', 'quarantined', 'ingested']);
    const { body } = await owner.call('GET', '/mail/quarantine');
    expect(body.items).toMatchObject([
      { messageId: null, ticketId: null, reason: expect.stringContaining('missing or damaged') },
      { messageId: null, ticketId: null, reason: expect.stringContaining('missing or damaged') },
    ]);
    expect(await importInto(owner)).toMatchObject({ new: 0, quarantined: 0 });
  });

  it('takes a given up mail when its bytes come again', async () => {
    const owner = await makeOwner(house);
    const mail = mailOf(1);
    await storeRawMails(house.app, sourceOf(owner), [mail]);
    await rm(blobOf(owner, mail));
    expect(await importInto(owner, [mail])).toMatchObject({ resumed: 1, new: 1, quarantined: 1 });
    expect(await statesOf(owner)).toEqual(['ingested']);
    expect((await owner.call('GET', '/mail/quarantine')).body.items).toEqual([]);
    expect(await importInto(owner, [mail])).toMatchObject({ new: 0, known: 1, quarantined: 0 });
  });
});

it('stores the next mails while another transaction ingests one of them', async () => {
  const owner = await makeOwner(house);
  const [first, next] = [mailOf(1, 1), mailOf(2, 2)] as const;
  await storeRawMails(house.app, sourceOf(owner), [first]);
  const { workspaceId } = owner;
  const stored = await house.app.db.tx(async (tx) => {
    await tx.rows(sql`select from raw_mails where workspace_id = ${workspaceId} for update`);
    return storeRawMails(house.app, sourceOf(owner), [first, next]);
  });
  expect(stored).toMatchObject([{ bytes: first }, { bytes: next }]);
  expect(await importInto(owner)).toMatchObject({ resumed: 2 });
});

it('analyzes the tables before autovacuum does', async (context) => {
  skipOnCitus(context, 'The coordinator does not know how many rows the nodes have, so they analyze by themselves.');
  await importInto(await makeOwner(house), [mailOf(1, 1), mailOf(2, 2)]);
  const { rows } = await house.app.db.one<{ rows: number }>(
    sql`select reltuples as rows from pg_class where oid = 'raw_mails'::regclass`,
  );
  expect(rows).toBeGreaterThan(0);
});
