import { join } from 'node:path';
import type { DeskToken } from '@kontor/mail/desk-tokens.ts';
import { expect, test } from 'vitest';
import { sql } from '../src/ground/database/sql.ts';
import { loadExport } from '../src/operations/transfer/load-export.ts';
import { useHouse } from '../test/harness/harness.ts';
import { makeOwner } from '../test/worlds/factories.ts';
import { fixtures, importDesk } from '../test/worlds/imports/import-desk.ts';
import { ingestMails, mailOf, sourceOf, ticketOf, ticketsOf } from '../test/worlds/mails.ts';
import { dnsOf, senderDomain } from '../test/worlds/sender-domain.ts';
import type { DeskTicket } from './desk.ts';
import { convertFreescout } from './freescout.ts';
import { convertHelpScout } from './help-scout.ts';
import type { Converter } from './run-importer.ts';
import { convertZendesk } from './zendesk.ts';

const sender = senderDomain('customer.example', { spf: 'v=spf1 ip4:9.9.9.9 -all' });
const guarded = senderDomain('bank.example', { spf: 'v=spf1 ip4:9.9.9.9 -all', dmarc: 'v=DMARC1; p=reject' });
const house = useHouse({}, { resolveDns: dnsOf(sender, guarded).resolve });

const bank = { email: 'pay@bank.example', name: 'Bank' };
const carla = { email: 'carla@customer.example', name: 'Carla' };
const marker = (id: string) => `Yes.\r\n\r\n> We look at it. {#FS:${Buffer.from(id).toString('base64')}#}`;

/** A help desk without a converter: what an export by hand has. */
const byHand =
  (...tokens: DeskToken[]): Converter =>
  async (_source, desk) => {
    const at = '2025-01-10T09:00:00.000Z';
    const rest = { priority: null, tags: [], assignee: null, isMail: true, isSpam: false, isDeleted: false };
    const ticket: DeskTicket = {
      ...{ ...rest, key: '1', number: 31, subject: 'The lift hangs', status: 'closed', at, updatedAt: at, tokens },
      ...{ requester: carla, participants: [bank] },
      messages: [
        {
          ...{ key: '1', kind: 'customer', author: { contact: carla }, html: null, text: 'It hangs.', at },
          ...{ to: [], cc: [], bcc: [], mailIds: [], files: [] },
        },
      ],
    };
    await desk.ticket(ticket);
  };

const desks = {
  freescout: importDesk(house, 'freescout', convertFreescout),
  zendesk: importDesk(house, 'zendesk', convertZendesk),
  'help-scout': importDesk(house, 'help-scout', convertHelpScout),
  zammad: importDesk(house, 'zammad', byHand({ source: 'zammad', token: 'Help.acme.example/Ticket#31001' })),
  osticket: importDesk(house, 'osticket', byHand({ source: 'osticket', token: '#123456' })),
};
type Desk = keyof typeof desks;
const paths: Partial<Record<Desk, string[]>> = {
  freescout: [join(fixtures, 'freescout/dump.sql')],
  zendesk: [join(fixtures, 'zendesk')],
  'help-scout': [join(fixtures, 'help-scout')],
};
const numbers: Record<Desk, number> = { freescout: 31, zendesk: 101, 'help-scout': 12, zammad: 31, osticket: 31 };

type Mail = { from?: string; ip?: string; at?: string; headers?: Record<string, string>; body?: string };

/** A help desk that was moved into a workspace of its own. */
async function moved(kind: Desk) {
  const { folder } = await desks[kind].written({ paths: paths[kind] ?? [] });
  const person = await makeOwner(house);
  const { problems } = await loadExport(house.app, folder, {
    workspaceId: person.workspaceId,
    getsNewNumbers: false,
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  expect(problems.kept).toEqual([]);
  const number = numbers[kind];
  const old = (await ticketsOf(person)).find(({ ticketNumber }) => ticketNumber === number).id;
  const answer = async ({ from = carla.email, ip = '9.9.9.9', at = '2026-03-01T10:00:00Z', headers, body }: Mail) => {
    const envelope = { from, to: [], client: { address: ip, helo: 'mx.customer.example' } };
    const source = { ...sourceOf(house, person), receivedAt: new Date(at), envelope };
    const fields = { Subject: 'No idea', From: from, ...headers };
    await ingestMails(house.app, source, [mailOf({ headers: fields, ...(body !== undefined && { body }) })]);
  };
  return { person, old, answer, messages: async () => (await ticketOf(person, old)).messages };
}

const ofThread = 'reply-2-79563c2990b98339ddf3b46c966de77f';

test.each<[Desk, string, Mail]>([
  ['freescout', 'its Message-ID', { headers: { 'In-Reply-To': `<${ofThread}@acme.example>` } }],
  ['freescout', 'the Message-ID in its text', { body: marker('FS_autoreply-1-1f3870be274f6c49@acme.example') }],
  ['zendesk', 'its text', { body: 'The red one.\r\n\r\n> Which model?\r\n> [1G7EOR-0Q2J]' }],
  ['zendesk', 'its address', { headers: { To: 'support+id1G7EOR-0Q2J@acme.zendesk.com' } }],
  ['zendesk', 'its Message-ID', { headers: { References: '<1G7EOR0Q2J_5e41_4bb_sprut@zendesk.com>' } }],
  ['help-scout', 'its subject', { at: '2022-06-01T10:00:00Z', headers: { Subject: 'Re: Where is my order?' } }],
  [
    'zammad',
    'the number in its subject',
    {
      headers: {
        Subject: 'AW: [Ticket#31001] The lift hangs',
        'In-Reply-To': '<20250110.7.0f3e@help.acme.example>',
      },
    },
  ],
  ['osticket', 'the number in its subject', { headers: { Subject: 'Re: The lift hangs [#123456]' } }],
])('an answer to old mail of %s joins its ticket by %s', async (kind, _clue, mail) => {
  const { answer, messages } = await moved(kind);
  const before = await messages();
  await answer(mail);
  const after = await messages();
  expect(after).toHaveLength(before.length + 1);
  expect(after.find(({ id }: any) => !before.some((one: any) => one.id === id))).toMatchObject({
    matchedBy: 'former-desk',
    isSenderKnown: true,
  });
});

test.each<[Desk, string, Mail]>([
  ['freescout', 'another installation', { headers: { 'In-Reply-To': `<${ofThread}@other.example>` } }],
  [
    'freescout',
    'a stranger',
    { from: 'eve@customer.example', headers: { 'In-Reply-To': `<${ofThread}@acme.example>` } },
  ],
  ['zendesk', 'another account', { body: '> [2H8FPS-1R3K]' }],
  ['zendesk', 'a stranger', { from: 'eve@customer.example', body: '> [1G7EOR-0Q2J]' }],
  ['help-scout', 'a stranger', { from: 'eve@customer.example', headers: { Subject: 'Re: Where is my order?' } }],
  [
    'help-scout',
    'somebody who writes anew',
    { at: '2022-06-01T10:00:00Z', headers: { Subject: 'Where is my order?' } },
  ],
  [
    'help-scout',
    'somebody after seven months',
    { at: '2022-08-05T10:00:00Z', headers: { Subject: 'Re: Where is my order?' } },
  ],
  [
    'zammad',
    'another installation',
    { headers: { Subject: 'Re: [Ticket#31001] Invoice', 'In-Reply-To': '<20250110.7.0f3e@zammad.other.example>' } },
  ],
  ['osticket', 'another installation', { headers: { Subject: 'Re: Invoice [#654321]' } }],
  ['osticket', 'a stranger', { from: 'eve@customer.example', headers: { Subject: 'Re: The lift hangs [#123456]' } }],
])('with a token of %s, mail of %s opens a ticket of its own', async (kind, _who, mail) => {
  const { person, answer, messages } = await moved(kind);
  const before = await messages();
  const tickets = await ticketsOf(person);
  await answer(mail);
  expect(await messages()).toHaveLength(before.length);
  expect(await ticketsOf(person)).toHaveLength(tickets.length + 1);
});

test('a token leads to no ticket of another workspace', async () => {
  const { messages } = await moved('osticket');
  const other = await moved('zendesk');
  const before = await messages();
  await other.answer({ headers: { Subject: 'Re: The lift hangs [#123456]' } });
  expect(await messages()).toHaveLength(before.length);
});

test('a forged mail joins nothing by its token', async () => {
  const { answer, messages } = await moved('osticket');
  const before = await messages();
  const mail = { from: bank.email, headers: { Subject: 'Re: The lift hangs [#123456]' } };
  await answer({ ...mail, ip: '6.6.6.6' });
  expect(await messages()).toHaveLength(before.length);
  await answer(mail);
  expect(await messages()).toHaveLength(before.length + 1);
});

test('text that quotes mails of two tickets joins neither', async () => {
  const { person, old, answer, messages } = await moved('zendesk');
  const tickets = await ticketsOf(person);
  const other = tickets.find(({ id, requester }) => id !== old && requester?.email === carla.email).id;
  await house.app.db.rows(sql`
    insert into thread_tokens (workspace_id, ticket_id, source, token)
    values (${person.workspaceId}, ${other}, 'zendesk', '2h8fps1r3k')`);
  const before = await messages();
  await answer({ body: '> [1G7EOR-0Q2J]\r\n> > [2H8FPS-1R3K]' });
  expect(await messages()).toHaveLength(before.length);
  await answer({ headers: { To: 'support+id2H8FPS-1R3K@acme.zendesk.com' }, body: '> [1G7EOR-0Q2J]' });
  const { messages: answered } = await ticketOf(person, other);
  expect(answered.map(({ matchedBy }: any) => matchedBy)).toContain('former-desk');
});

test('tokens go with their ticket', async () => {
  const { person, old, answer } = await moved('osticket');
  const { id: survivor } = (await person.call('POST', '/tickets', { subject: 'Both', body: 'b' })).body;
  await person.call('POST', `/tickets/${old}/merge`, { targetTicketId: survivor });
  await answer({ headers: { Subject: 'Re: The lift hangs [#123456]' } });
  const { messages } = await ticketOf(person, survivor);
  expect(messages.map(({ matchedBy }: any) => matchedBy)).toContain('former-desk');
  const left = () => house.app.db.rows(sql`select token from thread_tokens where workspace_id = ${person.workspaceId}`);
  expect(await left()).toHaveLength(1);
  await person.call('DELETE', `/tickets/${survivor}`);
  await person.call('POST', `/tickets/${survivor}/purge`);
  expect(await left()).toEqual([]);
});
