import { describe, expect, it } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeMember, makeOwner } from '../../../../test/worlds/factories.ts';
import { type File, mailsOf, mboxOf, uploadsTo } from '../../../../test/worlds/imports/uploaded-imports.ts';
import { newId } from '../../../ground/lib/ids.ts';
import { drain } from '../../../worker.ts';

const house = useHouse({ IMPORT_MAX_BYTES: '2000000' });
const { start, uploadsOf } = uploadsTo(house);

describe('an import is refused', () => {
  it('while another of the workspace runs, also when both were uploaded at once, and leaves no file', async () => {
    const owner = await makeOwner(house);
    const both = await Promise.all([1, 2].map(() => start(owner, [['a.mbox', mboxOf(mailsOf(2))]])));
    expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect((await start(owner, [['b.eml', 'x']])).body.key).toBe('import.running');
    const other = await makeOwner(house);
    expect((await start(other, [['b.eml', mailsOf(1)[0] as Buffer]])).status).toBe(202);
    await drain(house.app);
    expect(await uploadsOf()).toEqual([]);
    expect((await owner.call('GET', '/imports')).body).toHaveLength(1);
  });

  it('beyond the limit, without a file, with too many files, and with options that mean nothing', async () => {
    const owner = await makeOwner(house);
    const large = 'x'.repeat(1_200_000);
    expect(
      (
        await start(owner, [
          ['a.mbox', large],
          ['b.mbox', large],
        ])
      ).status,
    ).toBe(413);
    expect((await start(owner, [])).body).toMatchObject({ key: 'request.invalid' });
    const many = Array.from({ length: 1_001 }, (_, at): File => [`${at}.eml`, 'x']);
    expect((await start(owner, many)).body.params.issues).toMatchObject([
      { path: 'body.file', message: 'must be 1000 files at most' },
    ]);
    expect((await start(owner, [['a.eml', 'x']], '?ownAddress=nobody')).body.params.issues).toMatchObject([
      { path: 'query.ownAddress' },
    ]);
    expect((await start(owner, [['a.eml', 'x']], '?status=lost')).status).toBe(400);
    expect(await uploadsOf()).toEqual([]);
  });

  it('to agents, viewers and other workspaces', async () => {
    const owner = await makeOwner(house);
    const { body } = await start(owner, [['a.eml', mailsOf(1)[0] as Buffer]]);
    for (const role of ['agent', 'viewer'] as const) {
      const member = await makeMember(house, owner.workspaceId, role);
      expect((await start(member, [['a.eml', 'x']])).status).toBe(403);
      expect((await member.call('GET', `/imports/${body.id}`)).status).toBe(403);
      expect((await member.call('POST', `/imports/${body.id}/stop`)).status).toBe(403);
    }
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    expect((await admin.call('GET', `/imports/${body.id}`)).status).toBe(200);
    const stranger = await makeOwner(house);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/stop'],
    ] as const)
      expect((await stranger.call(method, `/imports/${body.id}${path}`)).body.key).toBe('import.not_found');
    await drain(house.app);
  });

  it('not when the same request comes again: it gets the same answer', async () => {
    const owner = await makeOwner(house);
    const files: File[] = [['a.eml', mailsOf(1)[0] as Buffer]];
    const key = { 'idempotency-key': newId() };
    const first = await start(owner, files, '', key);
    expect((await start(owner, files, '', key)).body).toEqual(first.body);
    await drain(house.app);
    expect((await start(owner, files, '', key)).body).toEqual(first.body);
    expect((await owner.call('GET', '/imports')).body).toMatchObject([{ state: 'done', imported: 1 }]);
    // The file of the repeat goes after its answer was sent.
    await expect.poll(uploadsOf).toEqual([]);
  });
});
