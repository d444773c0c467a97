import { describe, expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { mailOf, sourceOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { storeRawMails } from './raw-mails.ts';
import type { Outcome } from './take/take-mail.ts';
import { takePendingMails } from './take-pending.ts';

const house = useHouse();

async function take(owner: Person, blobs = house.app.blobs): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for await (const batch of takePendingMails({ ...house.app, blobs }, sourceOf(house, owner))) outcomes.push(...batch);
  return outcomes;
}

const kindsOf = (outcomes: Outcome[]) => outcomes.map(({ kind }) => kind);

describe('pending mails', () => {
  it('are taken once and in order of arrival, by any number of processes', async () => {
    const owner = await makeOwner(house);
    const ids = Array.from({ length: 20 }, (_, at) => `<chain${at}@example.org>`);
    const mails = ids.map((id, at) =>
      mailOf({ headers: { 'Message-ID': id, ...(at === 0 ? {} : { 'In-Reply-To': ids[at - 1] ?? '' }) } }),
    );
    for (const mail of mails) await storeRawMails(house.app, sourceOf(house, owner), [mail]);
    const taken = await Promise.all([take(owner), take(owner), take(owner)]);
    expect(kindsOf(taken.flat()).filter((kind) => kind === 'new')).toHaveLength(20);
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 20 }]);
  });

  it('are taken even if one of them breaks our code, which is quarantined in its original form', async () => {
    const owner = await makeOwner(house);
    const file = (content: string) =>
      mailOf({
        headers: { 'Content-Type': 'multipart/mixed; boundary=b' },
        body: [
          '--b\r\nContent-Type: text/plain; name=a.txt\r\nContent-Disposition: attachment\r\n\r\n',
          `${content}\r\n--b--`,
        ].join(''),
      });
    const mails = [file('one'), file('poison'), file('three')];
    await storeRawMails(house.app, sourceOf(house, owner), mails);
    // Simulates a fault that our own code did not foresee.
    const { blobs } = house.app;
    const stumbling = {
      ...blobs,
      putAll: (workspaceId: WorkspaceId, contents: readonly Uint8Array[]) =>
        contents.some((bytes) => Buffer.from(bytes).toString() === 'poison')
          ? Promise.reject(new TypeError('undefined is not a function'))
          : blobs.putAll(workspaceId, contents),
    };
    expect(kindsOf(await take(owner, stumbling)).sort()).toEqual(['new', 'new', 'quarantined']);
    const [{ reason, ticketId, messageId }] = (await owner.call('GET', '/mail/quarantine')).body.items;
    expect(reason).toBe('It could not be taken in (TypeError).');
    expect((await ticketOf(owner, ticketId)).messages[0].attachments).toMatchObject([
      { contentType: 'message/rfc822' },
    ]);
    expect((await owner.call('GET', `/messages/${messageId}/raw`)).body).toBe(mails[1]?.toString());
    expect(await take(owner)).toEqual([]);
  });

  it('stay pending while the disk accepts no writes', async () => {
    const owner = await makeOwner(house);
    await storeRawMails(house.app, sourceOf(house, owner), [mailOf()]);
    const full = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    await expect(take(owner, { ...house.app.blobs, putAll: full, put: full })).rejects.toThrow('no space left');
    const rows = await house.app.db.rows(sql`select state from raw_mails where workspace_id = ${owner.workspaceId}`);
    expect(rows).toEqual([{ state: 'pending' }]);
    expect(kindsOf(await take(owner))).toEqual(['new']);
  });
});
