import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { type MessageId, newId } from '../../ground/lib/ids.ts';
import { replyRecipientsOf } from './reply-defaults.ts';

const house = useHouse({ MAIL_FROM: 'Support <support@example.com>' });
const own = { localPart: 'inbox-1', mailFrom: 'support@example.com', namedAddresses: ['shop@example.com'] };
const unproven = { verdict: 'none', spf: 'none', dkim: 'none', dmarc: 'none' } as const;
const requester = { email: 'req@example.org', name: null };

type Message = Parameters<typeof replyRecipientsOf>[0]['messages'][number];

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
  forwardOf: null,
  createdAt: '2026-03-02T10:00:00.000Z',
  ...fields,
});
const outbound = (to: string[], cc: string[] = []): Message => ({
  ...inbound({ to, cc }),
  direction: 'outbound',
  author: { type: 'agent', userId: null, name: null, email: 'agent@example.com' },
});
const defaults = (messages: Message[], of: typeof requester | null = requester) =>
  replyRecipientsOf({ requester: of, requesterChosenAt: null, messages }, own).replyDefaults;
const offers = (messages: Message[]) =>
  replyRecipientsOf({ requester, requesterChosenAt: null, messages }, own).replyOffers;

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

  test('offers the people whom an unproven first mail names, and includes them once an agent wrote to them', () => {
    const first = inbound({ authentication: unproven, to: ['support@example.com'], cc: ['evil@attacker.test'] });
    expect([defaults([first]), offers([first])]).toEqual([{ to: ['ann@example.org'], cc: [] }, ['evil@attacker.test']]);
    const written = [first, outbound(['ann@example.org'], ['evil@attacker.test'])];
    expect([defaults(written).cc, offers(written)]).toEqual([['evil@attacker.test'], []]);
    const proven = { ...first, authentication: { ...unproven, verdict: 'pass' as const } };
    expect([defaults([proven]).cc, offers([proven])]).toEqual([['evil@attacker.test'], []]);
    expect(offers([{ ...first, authentication: { ...unproven, verdict: 'fail' } }])).toEqual([]);
    const stranger = inbound({ from: 'new@else.test', isSenderKnown: false, cc: ['x@else.test'] });
    expect(offers([first, stranger])).toEqual(['evil@attacker.test']);
  });

  describe('to a mail that a signature alone proves', () => {
    const signed = (signedFields: string[], fields: Partial<Message> = {}) =>
      inbound({
        authentication: { ...unproven, verdict: 'pass', signedFields },
        to: ['support@example.com'],
        cc: ['cy@example.org'],
        replyTo: ['home@example.org'],
        ...fields,
      });
    const all = ['from', 'to', 'cc', 'reply-to', 'subject'];

    test('includes what the signature covers, if it was written to us', () => {
      expect(defaults([signed(all)])).toEqual({ to: ['home@example.org'], cc: ['cy@example.org'] });
      expect(defaults([signed(['from', 'to', 'cc'])])).toEqual({ to: ['ann@example.org'], cc: ['cy@example.org'] });
      const inCc = { to: ['cy@example.org'], cc: ['Shop+1@example.com'] };
      expect(defaults([signed(['from', 'to', 'cc'], inCc)]).cc).toEqual(['cy@example.org']);
    });

    test.each([
      ['a Cc that was added', ['from', 'to', 'reply-to'], {}, 'home@example.org'],
      ['a To that was added', ['from', 'reply-to'], {}, 'ann@example.org'],
      ['a Reply-To that was added', ['from', 'to'], {}, 'ann@example.org'],
      ['a copy of a mail to others', all, { to: ['evil@attacker.test'] }, 'ann@example.org'],
      [
        'such a copy with an added Cc to us',
        ['from', 'to'],
        { to: ['evil@attacker.test'], cc: ['support@example.com'] },
        'ann@example.org',
      ],
      [
        'such a copy that names us where it came in',
        all,
        { to: ['evil@attacker.test'], deliveredTo: ['evil@attacker.test'] },
        'ann@example.org',
      ],
    ])('includes nobody for %s', (_what, fields, changed, to) => {
      expect(defaults([signed(fields, changed)])).toEqual({ to: [to], cc: [] });
      const later = signed(fields, { ...changed, isSenderKnown: true });
      expect(defaults([inbound(), later])).toEqual({ to: [to], cc: [] });
    });
  });

  test('after a forward stays with the customer, whoever answers it', () => {
    const [supplier, colleague] = ['sam@supplier.test', 'sue@supplier.test'];
    const forward = { ...outbound([supplier], [colleague]), forwardOf: newId<MessageId>() };
    const answered = inbound({ from: supplier, isSenderKnown: true, cc: ['ann@example.org'] });
    const asked = [inbound(), forward, answered];
    expect(defaults(asked)).toEqual({ to: ['ann@example.org'], cc: [] });
    expect(defaults([...asked, inbound({ from: colleague, isSenderKnown: true })]).to).toEqual(['ann@example.org']);
    expect(defaults([forward, answered], null)).toEqual({ to: [], cc: [] });
    // An agent who writes to the supplier in the conversation takes them in.
    expect(defaults([...asked, outbound([supplier]), answered]).to).toEqual([supplier]);
    // A participant stays one.
    expect(defaults([inbound({ from: supplier }), ...asked]).to).toEqual([supplier]);
  });

  test('goes to a requester who was chosen since, and offers the people of the earlier mail', () => {
    const mail = inbound({ cc: ['cy@example.org'], authentication: unproven });
    const chosen = (at: string, messages: Message[], of: typeof requester | null = requester) =>
      replyRecipientsOf({ requester: of, requesterChosenAt: `2026-03-02T1${at}:00.000Z`, messages }, own);
    expect(chosen('1:00', [mail])).toEqual({
      ...{ replyDefaults: { to: ['req@example.org'], cc: [] }, replyOffers: ['ann@example.org', 'cy@example.org'] },
    });
    const later = inbound({ createdAt: '2026-03-02T11:30:00.000Z', isSenderKnown: true });
    expect(chosen('1:00', [mail, later]).replyDefaults.to).toEqual(['ann@example.org']);
    expect(chosen('1:00', [mail, outbound(['x@example.org'])]).replyDefaults.to).toEqual(['req@example.org']);
    // Whoever was requester before, or nobody, leaves the reply with the writer.
    expect(chosen('1:00', [mail], { email: 'ann@example.org', name: null }).replyOffers).toEqual(['cy@example.org']);
    expect(chosen('1:00', [mail], null).replyDefaults.to).toEqual(['ann@example.org']);
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
  expect(ticket.replyDefaults).toEqual({ to: ['ann@example.org'], cc: [] });
  expect(ticket.replyOffers).toEqual(['bob@example.org', 'cy@example.org']);
  expect(ticket.messages[0]).toMatchObject({
    replyTo: ['home@example.org'],
    envelopeFrom: 'bounces@example.org',
    isSenderKnown: null,
    authentication: { verdict: 'none', spf: 'none', dkim: 'none', dmarc: 'none' },
  });
  expect(JSON.stringify(ticket)).not.toMatch(/deliveredTo|inboundLocalPart|namedAddresses|help@ours/);
});
