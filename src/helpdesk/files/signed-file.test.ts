import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { upload } from '../../../test/harness/uploads.ts';
import { call, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import { type AttachmentId, newId } from '../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;
let attachment: { id: AttachmentId; url: string; sha256: string };

beforeAll(async () => {
  owner = await makeOwner(house);
  const ticket = (await owner.call('POST', '/tickets', { subject: 'Files', body: 'b' })).body;
  attachment = (
    await upload(house, owner, ticket.id, { name: 'drawing.svg', type: 'image/svg+xml', content: '<svg/>' })
  ).body;
});

/** The address without its host, because the settings name another host than the test server's. */
const pathOf = (url: string) => url.slice(house.app.config.publicUrl.length);
const show = (path: string, headers: Record<string, string> = {}) => call(house, 'GET', path, undefined, headers);
const freshPath = async () => {
  const { workspaceId } = owner;
  return pathOf(house.app.fileUrls.urlOf(machineScope(workspaceId), attachment.id));
};

test('a signed address shows the file on any page without a token, and its scripts cannot run', async () => {
  const { status, body, headers } = await show(pathOf(attachment.url));
  expect([status, body]).toEqual([200, '<svg/>']);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/svg+xml',
    'cross-origin-resource-policy': 'cross-origin',
    'content-disposition': 'attachment; filename="drawing.svg"',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=600, immutable',
  });
});

test('a signed address supports ranges and conditional requests', async () => {
  const part = await show(await freshPath(), { range: 'bytes=1-3' });
  expect([part.status, part.body, part.headers.get('content-range')]).toEqual([206, 'svg', 'bytes 1-3/6']);
  expect((await show(await freshPath(), { 'if-none-match': `"${attachment.sha256}"` })).status).toBe(304);
  const head = await call(house, 'HEAD', await freshPath());
  expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, '6', '']);
});

test('a signed address that was changed in any part is refused', async () => {
  const path = await freshPath();
  const other = (await makeOwner(house)).workspaceId;
  const expires = Number(new URL(attachment.url).searchParams.get('expires'));
  for (const forged of [
    path.replace(attachment.id, newId()),
    path.replace(owner.workspaceId, other),
    path.replace(/expires=\d+/, `expires=${expires + 10_000}`),
    path.replace(/signature=.{4}/, 'signature=AAAA'),
    path.replace(/signature=.*/, 'signature=x'),
  ]) {
    const answer = await show(forged);
    expect([forged, answer.status, answer.body.key]).toEqual([forged, 404, 'attachment.not_found']);
  }
  expect((await show(path.replace(/\?.*/, ''))).body.params.issues.map(({ path }: { path: string }) => path)).toEqual([
    'query.expires',
    'query.signature',
  ]);
});

test('a signed address stays the same for ten minutes and expires ten minutes later', async () => {
  const stepMs = 600_000;
  house.clock.advance(stepMs - (house.clock.now().getTime() % stepMs));
  const path = await freshPath();
  house.clock.advance(stepMs - 1_000);
  expect(await freshPath()).toBe(path);
  house.clock.advance(1_000);
  expect(await freshPath()).not.toBe(path);
  house.clock.advance(stepMs);
  expect((await show(path)).status).toBe(200);
  house.clock.advance(1_000);
  const { status, body } = await show(path);
  expect([status, body.key]).toEqual([410, 'attachment.url_expired']);
});

test('addresses signed with another secret are refused', async () => {
  const { openFileUrls } = await import('./file-urls.ts');
  const { clock, config } = house.app;
  const foreign = openFileUrls({ secret: Buffer.alloc(32, 7), publicUrl: config.publicUrl, clock });
  expect((await show(pathOf(foreign.urlOf(machineScope(owner.workspaceId), attachment.id)))).status).toBe(404);
});
