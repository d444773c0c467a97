import { appendFile, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOf, useExportDesk } from '../../../test/worlds/export-desk.ts';
import { sql } from '../../ground/database/sql.ts';
import { checkExport } from './check-export.ts';

const desk = await useExportDesk();

/** A ticket with a free number. Its lines end with their count. */
async function withTicket(...lines: readonly object[]): Promise<string> {
  return desk.copyOf(async (path) => {
    const workspace = await readFile(join(path, 'workspace.jsonl'), 'utf8');
    const more = workspace.replace(/"lastTicketNumber":\d+/, '"lastTicketNumber":100');
    await writeFile(join(path, 'workspace.jsonl'), more);
    const all = [...lines, { kind: 'end', lines: lines.length }].map((line) => `${JSON.stringify(line)}\n`);
    await appendFile(join(path, 'tickets.jsonl'), all.join(''));
  });
}

const createdAt = '2026-01-01T00:00:00Z';
const idOf = (digit: number) => `01a20da0-0000-7000-8000-00000000000${digit}`;
const twice = {
  ...{ id: idOf(5), fileName: 'x', contentType: 'text/plain', sizeBytes: 1, sha256: 'a'.repeat(64), createdAt },
};

// Citus copies the rows of some of these to their node, and reports a violation there as a defect.
test.each<[string, object, object[]]>([
  ['a merge of a message that is missing', { mergedIntoId: 'first', merge: { messageIds: [idOf(9)] } }, []],
  ['two attachments with one id', {}, [{ attachments: [twice, twice] }]],
  ['a participant whom nobody knows', { participants: [{ contactId: idOf(9), isKnown: true }] }, []],
  ['an assignee whom nobody knows', { assigneeId: idOf(9) }, []],
])('%s is a problem of one record', async (_what, ticket, messages) => {
  const lines = (await readFile(join(desk.folder, 'tickets.jsonl'), 'utf8')).trim().split('\n');
  const records = lines.map((line) => JSON.parse(line));
  const targetId = records.find(({ kind }) => kind === 'ticket').id;
  const { sha256, sizeBytes } = records.flatMap(({ attachments = [] }) => attachments)[0];
  const merge = {
    ...{ id: idOf(2), targetId, sourceStatus: 'open', sourceArchivedAt: null, sourceSnoozedUntil: null },
    ...{ broughtTagKeys: [], broughtContactIds: [], messageIds: [idOf(9)], mergedAt: createdAt },
  };
  const isMerged = 'merge' in ticket;
  const hostile = await withTicket(
    {
      ...{ kind: 'ticket', id: idOf(1), number: 21, subject: 'Hostile', status: 'closed', channel: 'api', createdAt },
      ...ticket,
      ...(isMerged && { mergedIntoId: targetId, merge }),
    },
    ...messages.map((message: any) => ({
      ...{ kind: 'message', id: idOf(3), direction: 'inbound', authorType: 'system', body: 'b', createdAt },
      attachments: message.attachments.map((file: object) => ({ ...file, sha256, sizeBytes })),
    })),
  );
  const { problems } = await desk.load(hostile);
  const found = problems.kept.filter(({ file, line }) => file === 'tickets.jsonl' && line > 0);
  expect(found).toEqual([expect.objectContaining({ reason: expect.not.stringMatching(/_\d{6,}/) })]);
});

test('a mailbox that is here and came from no import is refused', async () => {
  await desk.load(desk.folder);
  await desk.target.app.db.tx((tx) =>
    tx.run(sql`
      delete from imported_records where workspace_id = ${desk.owner.workspaceId} and kind = 'mailbox'`),
  );
  const { problems } = await desk.load(desk.folder);
  expect(problems.kept.map(({ reason }) => reason)).toContain(
    'a mailbox with this id is here already, and came from no import',
  );
});

test('hostile lines end in a list of problems, and the rest is taken', async () => {
  const deep = `{"kind":"event","data":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`;
  const id = '01a20da0-0000-7000-8000-00000000000';
  const ticket = (n: number, more: object = {}) => ({
    kind: 'ticket',
    id: `${id}${n}`,
    number: 20 + n,
    subject: 'Hostile',
    status: 'open',
    channel: 'api',
    createdAt: '2026-01-01T00:00:00Z',
    ...more,
  });
  const message = { kind: 'message', id: `${id}0`, direction: 'inbound', authorType: 'system', body: 'b' };
  const attachment = { id: `${id}0`, fileName: 'x', contentType: 'x', sizeBytes: 1, createdAt: '2026-01-01T00:00:00Z' };
  const lines = [
    'not json',
    '[]',
    'null',
    '{"kind":"__proto__"}',
    '{"kind":"end","lines":0}',
    deep,
    JSON.stringify(ticket(1, { subject: 'a\u0000b' })),
    '{"kind":"end","lines":1}',
    JSON.stringify(ticket(2, { number: 999_999 })),
    '{"kind":"end","lines":1}',
    JSON.stringify(ticket(3, { tenant: 'other' })),
    '{"kind":"end","lines":1}',
    JSON.stringify(ticket(4, { createdAt: '2026-99-99T00:00:00Z' })),
    '{"kind":"end","lines":1}',
    JSON.stringify(ticket(5, { mergedIntoId: `${id}5` })),
    '{"kind":"end","lines":1}',
    JSON.stringify(ticket(6)),
    JSON.stringify({ ...message, createdAt: '2026-01-01T00:00:00Z', deliveryStatus: 'queued' }),
    '{"kind":"end","lines":2}',
    JSON.stringify(ticket(7)),
    JSON.stringify({
      ...message,
      createdAt: '2026-01-01T00:00:00Z',
      attachments: [{ ...attachment, sha256: '../../../../etc/passwd' }],
    }),
    '{"kind":"end","lines":2}',
    JSON.stringify(ticket(8)),
    JSON.stringify({
      ...message,
      createdAt: '2026-01-01T00:00:00Z',
      attachments: [{ ...attachment, sha256: 'a'.repeat(64) }],
    }),
    '{"kind":"end","lines":2}',
    JSON.stringify(ticket(9)),
    '{"kind":"end","lines":7}',
    JSON.stringify(ticket(9)),
    JSON.stringify({ ...message, createdAt: '2026-01-01T00:00:00Z', threading: { isSenderKnown: 'maybe' } }),
    '{"kind":"end","lines":2}',
  ];
  const hostile = await desk.copyOf(async (path) => {
    const workspace = await readFile(join(path, 'workspace.jsonl'), 'utf8');
    const more = workspace.replace(/"lastTicketNumber":\d+/, '"lastTicketNumber":100');
    await writeFile(join(path, 'workspace.jsonl'), more);
    await appendFile(join(path, 'tickets.jsonl'), `${lines.join('\n')}\n\xff\n`, 'latin1');
    await appendFile(join(path, 'contacts.jsonl'), `{"id":"x"}\n${JSON.stringify({ id: `${id}0`, email: 'no' })}\n`);
    const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
    const kept = { id: `${id}0`, createdBy: desk.owner.userId, name: 'Hostile', ...times };
    const view = JSON.stringify({ ...kept, query: { search: { text: 'x' } } });
    await appendFile(join(path, 'views.jsonl'), `{"id":1}\n${view}\n`);
    const reply = JSON.stringify({ ...kept, body: 'b', actions: { addTags: 'x' } });
    await appendFile(join(path, 'saved-replies.jsonl'), `${reply}\n`);
  });
  const before = (await readFile(join(desk.folder, 'tickets.jsonl'), 'utf8')).split('\n').length - 1;
  const { problems } = await desk.load(hostile);
  const reasons = problems.kept
    .filter(({ file, line }) => file === 'tickets.jsonl' && line > 0)
    .map(({ line, reason }) => `${line - before} ${reason}`);
  const expected = [
    /^1 is not JSON/,
    /^2 has no known kind/,
    /^3 has no known kind/,
    /^4 has no known kind/,
    /^5 end without a ticket/,
    /^6 event without a ticket/,
    /^7 .*unsupported Unicode/,
    /^9 the number is above lastTicketNumber/,
    /^11 \/tenant /,
    /^13 .*out of range/,
    /^15 the ticket was merged into itself/,
    /^18 \/deliveryStatus/,
    /^21 \/attachments\/0\/sha256/,
    /^23 files\/aa\/a+ is missing/,
    /^27 the ticket has 1 lines instead of 7/,
    /^29 \/threading\/isSenderKnown/,
    /^31 is not UTF-8/,
  ];
  for (const reason of expected) expect(reasons).toContainEqual(expect.stringMatching(reason));
  expect(reasons).toHaveLength(expected.length);
  expect(problems.kept.filter(({ file }) => file === 'contacts.jsonl')).toHaveLength(3);
  for (const [name, count] of [
    ['views', 2],
    ['saved-replies', 1],
  ] as const)
    expect(problems.kept.filter(({ file, line }) => file === `${name}.jsonl` && line > 0)).toHaveLength(count);
  const files = await bytesOf(await desk.exportOf(desk.target, 'after-hostile'));
  expect(files['tickets.jsonl']).toBe((await bytesOf(desk.folder))['tickets.jsonl']);
  const checked = await checkExport(hostile, new AbortController().signal);
  expect(checked.problems.kept.map(({ line }) => line)).toContain(before + 23);
});

test('damaged and missing files refuse their ticket alone, and a repaired export brings it', async () => {
  const [path = ''] = Object.keys(await bytesOf(desk.folder)).filter((name) => name.startsWith('files/'));
  const { length } = await readFile(join(desk.folder, path));
  const damaged = await desk.copyOf((copy) => writeFile(join(copy, path), 'x'.repeat(length)));
  const first = await desk.load(damaged);
  expect(first.problems.kept).toEqual([expect.objectContaining({ reason: `${path} is damaged` })]);
  await rm(join(damaged, path));
  expect((await desk.load(damaged)).problems.kept).toEqual([expect.objectContaining({ reason: `${path} is missing` })]);
  expect((await desk.load(desk.folder)).problems.kept).toEqual([]);
  expect(await bytesOf(await desk.exportOf(desk.target, 'repaired'))).toEqual(await bytesOf(desk.folder));
});

test.each(['manifest.json', 'tickets.jsonl'])(
  'a link in place of %s is refused, whatever it leads to',
  async (name) => {
    const hostile = await desk.copyOf(async (path) => {
      await rm(join(path, name));
      await symlink('/dev/zero', join(path, name));
    });
    await expect(desk.load(hostile)).rejects.toThrow(/no manifest.json|tickets.jsonl in .* is no plain file/);
  },
);

test('hostile HTML passes the sanitizer', async () => {
  const hostile = await desk.copyOf(async (path) => {
    const text = await readFile(join(path, 'tickets.jsonl'), 'utf8');
    await writeFile(join(path, 'tickets.jsonl'), text.replaceAll('<b>bold</b>', '<img src=x onerror=alert(1)>'));
  });
  await desk.load(hostile);
  const { count } = await desk.target.app.db.one<{ count: number }>(sql`
    select count(*) from messages where body_html like '%onerror%'`);
  expect(count).toBe(0);
});

test('a manifest names no file beside those of an export', async () => {
  const hostile = await desk.copyOf(async (path) => {
    const manifest = join(path, 'manifest.json');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('views.jsonl', '../../../../../../dev/zero'));
  });
  await expect(desk.load(hostile)).rejects.toThrow(/damaged/);
});
