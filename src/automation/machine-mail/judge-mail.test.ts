import { expect, test } from 'vitest';
import { type JudgedMail, judgeMail } from './judge-mail.ts';

const mail: JudgedMail = {
  isOfCustomer: true,
  isLive: true,
  isSample: false,
  automaticKind: null,
  headers: null,
  envelopeFrom: 'zora@shop.example',
  authorEmail: 'zora@shop.example',
  verdict: 'pass',
  addressedTo: ['help@us.example'],
};
const ours = {
  isOwn: (email: string) => email.endsWith('@us.example'),
  isMember: (email: string) => email === 'anna@home.example',
  isBlocked: (email: string) => email === 'spam@shop.example',
};
const judged = (change: Partial<JudgedMail>) => judgeMail({ ...mail, ...change }, ours);

test('a mail that a person wrote to us is answered', () => {
  expect(judged({})).toEqual({ to: 'zora@shop.example' });
});

test.each<[string, Partial<JudgedMail>]>([
  ['sample', { isSample: true }],
  ['not_mail', { isOfCustomer: false }],
  ['not_mail', { authorEmail: null }],
  ['not_live', { isLive: false }],
  ['not_in_inbox', { authorEmail: 'spam@shop.example' }],
  ['automatic', { automaticKind: 'list' }],
  ['automatic', { automaticKind: 'bounce' }],
  ['asked_not_to', { headers: { 'x-auto-response-suppress': ['DR, OOF, AutoReply'] } }],
  ['asked_not_to', { headers: { 'x-auto-response-suppress': ['All'] } }],
  ['no_envelope_sender', { envelopeFrom: null }],
  ['no_envelope_sender', { envelopeFrom: '' }],
  ['machine_address', { envelopeFrom: 'bounces+zora=us.example@shop.example' }],
  ['machine_address', { envelopeFrom: 'dev-bounces@shop.example' }],
  ['machine_address', { envelopeFrom: 'owner-dev@shop.example' }],
  ['machine_address', { envelopeFrom: 'dev-request@shop.example' }],
  ['machine_address', { envelopeFrom: 'MAILER-DAEMON@shop.example' }],
  ['machine_address', { authorEmail: 'No-Reply@shop.example' }],
  ['machine_address', { authorEmail: 'donotreply+7@shop.example' }],
  ['own_address', { authorEmail: 'sales@us.example' }],
  ['own_address', { envelopeFrom: 'sales@us.example' }],
  ['own_address', { authorEmail: 'anna@home.example' }],
  ['not_addressed', { addressedTo: ['others@list.example'] }],
  ['not_addressed', { addressedTo: [] }],
  ['unproven', { verdict: 'fail' }],
  ['unproven', { verdict: null }],
  ['unproven', { verdict: 'none', envelopeFrom: 'zora@elsewhere.example' }],
])('withheld as %s: %j', (withheld, change) => {
  expect(judged(change)).toEqual({ withheld });
});

test.each<[string, Partial<JudgedMail>]>([
  [
    'nobody proved the sender, and the envelope is of the organisation',
    { verdict: 'none', envelopeFrom: 'a@mx.shop.example' },
  ],
  ['the sender is proven, and another service sent the mail', { envelopeFrom: 'zora@sender.example' }],
  ['it asks for no receipts only', { headers: { 'x-auto-response-suppress': ['DR, RN, NRN'] } }],
  ['the name only looks like a machine', { authorEmail: 'norepa@shop.example', envelopeFrom: 'owners@shop.example' }],
  ['we stand among others', { addressedTo: ['others@list.example', 'help@us.example'] }],
])('answered, because %s', (_, change) => {
  expect(judged(change)).toMatchObject({ to: expect.any(String) });
});

test('no text of a stranger takes long to judge', () => {
  const long = 'a'.repeat(100_000);
  for (const authorEmail of [`${long}@shop.example`, `${'-bounce'.repeat(20_000)}@shop.example`])
    judged({ authorEmail, headers: { 'x-auto-response-suppress': [long] } });
});
