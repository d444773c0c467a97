import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';

const house = useHouse();
let owner: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
});

const read = async (person = owner): Promise<any> => (await person.call('GET', '/v1/me/preferences')).body;
const change = (body: object, person = owner) => person.call('PATCH', '/v1/me/preferences', body);

test('a user without choices gets the defaults', async () => {
  expect(await read(await makeOwner(house))).toEqual({
    theme: 'system',
    darkMail: false,
    density: 'comfortable',
    locale: null,
    timeZone: null,
    afterAction: 'next',
    undoSendSeconds: 10,
    singleKeys: true,
    keys: [],
    remoteImages: 'ask',
    signatures: [],
  });
});

test('only the given fields change, and only for this user', async () => {
  const colleague = await makeMember(house, owner.workspaceId, 'agent');
  const keys = [{ command: 'ticket.close', keys: 'q' }];
  await change({ theme: 'dark', keys, locale: 'de-at', timeZone: 'Europe/Vienna' });
  const { status, body } = await change({ undoSendSeconds: 0, singleKeys: false });
  expect(status).toBe(200);
  expect(body).toMatchObject({ theme: 'dark', keys, locale: 'de-AT', timeZone: 'Europe/Vienna', undoSendSeconds: 0 });
  expect(await read()).toEqual(body);
  expect((await read(colleague)).theme).toBe('system');
  expect((await change({ timeZone: null })).body.timeZone).toBeNull();
});

test.each([
  [{ theme: 'pink' }, 'body.theme'],
  [{ undoSendSeconds: 61 }, 'body.undoSendSeconds'],
  [{ timeZone: 'Mars/Olympus' }, 'body.timeZone'],
  [{ locale: 'no language' }, 'body.locale'],
  [{ keys: [{ command: '', keys: 'q' }] }, 'body.keys.0.command'],
])('what is no choice is refused by its place: %j', async (body, path) => {
  const answer = await change(body);
  expect([answer.status, answer.body.params.issues[0].path]).toEqual([400, path]);
});

test('a signature belongs to one workspace, is sanitised, and is removed when empty', async () => {
  const { workspaceId } = owner;
  const html = '<p>Best,<br>Ada<script>x()</script></p>';
  const { body } = await change({ signatures: [{ workspaceId, html }] });
  expect(body.signatures).toEqual([{ workspaceId, html: '<p>Best,<br />Ada</p>' }]);
  expect((await change({ signatures: [{ workspaceId, html: null }] })).body.signatures).toEqual([]);
  const stranger = await makeOwner(house);
  const foreign = await change({ theme: 'light', signatures: [{ workspaceId: stranger.workspaceId, html }] });
  expect([foreign.status, foreign.body.key]).toEqual([403, 'workspace.forbidden']);
  expect((await read()).theme).toBe('dark');
  expect((await read(stranger)).signatures).toEqual([]);
});

test('a user changes their name, and colleagues see it', async () => {
  expect((await owner.call('PATCH', '/v1/me', { name: ' Ada L. ' })).body.user.name).toBe('Ada L.');
  const { body } = await owner.call('GET', '/members');
  expect(body[0].name).toBe('Ada L.');
  expect((await owner.call('PATCH', '/v1/me', { name: '' })).body.user.name).toBeNull();
  expect((await owner.call('PATCH', '/v1/me', { name: 'x'.repeat(201) })).status).toBe(400);
});
