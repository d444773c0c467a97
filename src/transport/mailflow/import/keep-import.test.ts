import { expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { keptFiles } from '../../../../test/harness/uploads.ts';
import { makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';
import { drain } from '../../../worker.ts';
import { keepImport } from './keep-import.ts';

const house = useHouse();

const spooled = () =>
  house.app.blobs.spool(
    (async function* () {
      yield Buffer.from('x');
    })(),
  );
const importsOf = ({ workspaceId }: Person) =>
  house.app.db.rows(sql`select state, lease_holder as holder from mail_imports where workspace_id = ${workspaceId}`);
const uploadsOf = async () =>
  (await keptFiles(house)).filter((path) => path.endsWith('.import') || path.includes('.spool'));

test('an upload whose process died before it began leaves nothing once its lease is over', async () => {
  const owner = await makeOwner(house);
  const id = newId();
  const { workspaceId, userId } = owner;
  await house.app.blobs.stored.keep(workspaceId, `${id}.0.import`, await spooled());
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`
      insert into mail_imports (workspace_id, id, created_by, created_at, status, own_addresses, state, size_bytes,
        lease_holder, lease_until)
      values (${workspaceId}, ${id}, ${userId}, ${tx.now}, 'open', '{}', 'receiving', 1, ${newId()},
        now() - interval '1 second')`);
    await tx.run(sql`
      insert into mail_import_files (workspace_id, import_id, position, file_name, size_bytes)
      values (${workspaceId}, ${id}, 0, 'a.mbox', 1)`);
  });
  await drain(house.app);
  expect(await importsOf(owner)).toEqual([]);
  expect(await uploadsOf()).toEqual([]);
});

test('a refused upload whose files cannot be deleted gives its lease back, and is cleared away later', async () => {
  const owner = await makeOwner(house);
  const { stored } = house.app.blobs;
  const brokenDisk = { ...stored, remove: () => Promise.reject(new Error('the disk is broken')) };
  const bytes = await spooled();
  const uploads = [{ fileName: 'a.mbox', contentType: 'application/mbox', bytes }];
  const parts = { db: house.app.db, blobs: { ...house.app.blobs, stored: brokenDisk } };
  const choices = { status: 'open' as const, ownAddresses: [] };
  const keeping = keepImport(parts, owner, { uploads, choices }, () => Promise.reject(new Error('refused')));
  await expect(keeping).rejects.toThrow('the disk is broken');
  expect(await importsOf(owner)).toEqual([{ state: 'receiving', holder: null }]);
  await drain(house.app);
  expect(await importsOf(owner)).toEqual([]);
  expect(await uploadsOf()).toEqual([]);
});
