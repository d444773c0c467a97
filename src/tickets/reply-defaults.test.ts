import { describe, expect, test } from 'vitest';
import { makeOwner } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../test/mails.ts';
import { replyDefaultsOf } from './reply-defaults.ts';

const house = useHouse({ MAIL_FROM: 'Support <support@example.com>' });
const own = { localPart: 'inbox-1', mailFrom: 'support@example.com', mailboxAddresses: ['shop@example.com'] };
const unproven = { verdict: 'none', spf: 'none', dkim: 'none', dmarc: 'none' } as const;
const requester = { email: 'req@example.org', name: null };

type Message = Parameters<typeof replyDefaultsOf>[0]['messages'][number];

const inbound = (fields: Partial<Message> & { from?: string | null } = {}): Message => ({
  direction: 'inbound',
  author: {
    type: 'customer',
    userId: null,
    name: null,
    email: fields.from === undefined ? 'ann@example.org' : fields.from,
  },
  automaticKind: null,
  to: [],
  cc: [],
  replyTo: [],
  deliveredTo: [],
  authentication: null,
  isSenderKnown: null,
  ...fields,
});
const outbound = (to: string[], cc: string[] = []): Message => ({
  ...inbound({ to, cc }),
  direction: 'outbound',
  author: { type: 'agent', userId: null, name: null, email: 'agent@example.com' },
});
const defaults = (messages: Message[], of: typeof requester | null = requester) =>
  replyDefaultsOf({ requester: of, messages }, own);

describe('a reply to all', () => {
  test('goes to the author, and to everyone else whom the mail names except ourselves', () => {
    const mail = inbound({
      to: ['Support@example.com', 'bob@example.org', 'inbox-1+token@EXAMPLE.com', 'team@ours.example'],
      cc: ['cy@example.org', 'BOB@example.org', 'ann@example.org', 'support+1@example.com', 'Shop@example.com'],
      deliveredTo: ['Team@ours.example'],
    });
    expect(defaults([mail])).toEqual({ to: ['ann@example.org'], cc: ['bob@example.org', 'cy@example.org'] });
  });

  test('goes to a proven Reply-To in the author’s organisation instead of the author', () => {
    const mail = inbound({
      authentication: { ...unproven, verdict: 'pass' },
      replyTo: ['list@example.org', 'two@example.org'],
      cc: ['LIST@example.org', 'cy@example.org'],
    });
    expect(defaults([mail])).toEqual({ to: ['list@example.org', 'two@example.org'], cc: ['cy@example.org'] });
    const elsewhere = { ...mail, replyTo: ['two@mail.example.org', 'evil@attacker.test'] };
    expect(defaults([elsewhere]).to).toEqual(['two@mail.example.org']);
    expect(defaults([{ ...elsewhere, authentication: unproven }]).to).toEqual(['ann@example.org']);
  });

  test('goes to the author if the Reply-To is our own address', () => {
    expect(defaults([inbound({ replyTo: ['support@example.com'] })]).to).toEqual(['ann@example.org']);
  });

  test('answers the last customer, no machine and no colleague', () => {
    const messages = [
      inbound({ from: 'old@example.org' }),
      inbound({ from: 'last@example.org' }),
      inbound({ from: 'robot@example.org', automaticKind: 'auto-reply' }),
      { ...inbound(), author: { type: 'system' as const, userId: null, name: null, email: null } },
      outbound(['other@example.org']),
    ];
    expect(defaults(messages).to).toEqual(['last@example.org']);
    expect(defaults([inbound({ from: 'list-member@example.org', automaticKind: 'list' })]).to).toEqual([
      'list-member@example.org',
    ]);
  });

  test('without a customer’s message goes to the requester, else to our last recipients, else to nobody', () => {
    const sent = [outbound(['a@example.org']), outbound(['b@example.org'], ['c@example.org', 'support@example.com'])];
    expect(defaults(sent)).toEqual({ to: ['req@example.org'], cc: [] });
    expect(defaults(sent, null)).toEqual({ to: ['b@example.org'], cc: ['c@example.org'] });
    expect(defaults([], null)).toEqual({ to: [], cc: [] });
    expect(defaults([inbound({ from: null })])).toEqual({ to: ['req@example.org'], cc: [] });
    expect(defaults([inbound({ from: 'support@example.com' })])).toEqual({ to: ['req@example.org'], cc: [] });
  });

  test('goes to at most ten people', () => {
    const many = Array.from({ length: 300 }, (_, index) => `p${index}@example.org`);
    const mail = inbound({ replyTo: many.slice(0, 6), to: many, authentication: { ...unproven, verdict: 'pass' } });
    expect([defaults([mail]).to.length, defaults([mail]).cc.length]).toEqual([6, 4]);
    const { to, cc } = defaults([{ ...mail, replyTo: many }]);
    expect([to.length, cc.length]).toEqual([10, 0]);
  });
});

test('a ticket shows the defaults, and what the mail says about its sender', async () => {
  const owner = await makeOwner(house);
  const { rows } = await house.app.db.pool.query('select local_part from inbound_addresses where workspace_id = $1', [
    owner.workspaceId,
  ]);
  const ours = `${rows[0].local_part}@example.com`;
  const headers = {
    To: `Us <${ours}>, Bob <bob@example.org>`,
    Cc: 'support@example.com, cy@example.org',
    'Reply-To': 'Ann <home@example.org>',
    'Delivered-To': 'help@ours.example',
    'Return-Path': '<bounces@example.org>',
  };
  await ingest(house, owner, [mailOf({ headers })]);
  const [{ id }] = await ticketsOf(owner);
  const ticket = await ticketOf(owner, id);
  expect(ticket.replyDefaults).toEqual({ to: ['ann@example.org'], cc: ['bob@example.org', 'cy@example.org'] });
  expect(ticket.messages[0]).toMatchObject({
    replyTo: ['home@example.org'],
    envelopeFrom: 'bounces@example.org',
    isSenderKnown: null,
    authentication: { verdict: 'none', spf: 'none', dkim: 'none', dmarc: 'none' },
  });
  expect(JSON.stringify(ticket)).not.toMatch(/deliveredTo|inboundLocalPart|mailboxAddresses|help@ours/);
});
