/** Answers through a mailbox whose SMTP server refuses them, wholly or in part, or leaves their fate open. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ticketOf, ticketsOf } from '../../../../test/worlds/mails.ts';
import { mailOf, useImapMail } from '../../../../test/worlds/use-imap-mail.ts';
import { sql } from '../../../ground/database/sql.ts';

const { house, server, openDesk } = await useImapMail();

type Refusal = { responseCode: number; text: string };
let ofRecipient: Record<string, Refusal> = {};
let ofContent: Refusal | undefined;
let ofSignIn: ((password: string) => string) | undefined;
/** Closes the connection once it has the whole mail. */
let isCut = false;
const taken: string[][] = [];
const asError = ({ responseCode, text }: Refusal) => Object.assign(new Error(text), { responseCode });
const smtp = new SMTPServer({
  allowInsecureAuth: true,
  disabledCommands: ['STARTTLS'],
  disableReverseLookup: true,
  onAuth: ({ username, password }, _session, done) => {
    if (ofSignIn === undefined) done(null, { user: username ?? '' });
    else done(asError({ responseCode: 535, text: ofSignIn(password ?? '') }));
  },
  onRcptTo: ({ address }, _session, done) => {
    const refusal = ofRecipient[address];
    done(refusal === undefined ? null : asError(refusal));
  },
  onData: (stream, session, done) => {
    stream.resume();
    stream.on('end', () => {
      if (ofContent !== undefined) return done(asError(ofContent));
      taken.push(session.envelope.rcptTo.map(({ address }) => address));
      if (isCut) for (const connection of smtp.connections) (connection as { close(): void }).close();
      else done(null, 'ok');
    });
  },
});
smtp.on('error', () => undefined);
await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()));
afterAll(() => new Promise<void>((resolve) => smtp.close(() => resolve())));

beforeEach(() => {
  ofRecipient = {};
  ofContent = undefined;
  ofSignIn = undefined;
  isCut = false;
  taken.length = 0;
});

async function openAnswered(options: object = {}) {
  const { port } = smtp.server.address() as AddressInfo;
  const desk = await openDesk({ smtp: { host: '127.0.0.1', port, security: 'none' }, ...options });
  expect(desk.connected.status).toBe(201);
  server.deliver(desk.address, { raw: mailOf('Question') });
  await desk.read();
  const [{ id: ticketId }] = await ticketsOf(desk.owner);
  const path = `/tickets/${ticketId}/messages`;
  const last = async () => (await ticketOf(desk.owner, ticketId)).messages.at(-1);
  return {
    ...desk,
    last,
    answer: async (body: object = {}) => {
      const answered = await desk.owner.call('POST', path, { body: 'Soon.', sendEmail: true, ...body });
      expect(answered.status).toBe(201);
      await house.drain();
    },
    retry: async () => {
      expect((await desk.owner.call('POST', `${path}/${(await last()).id}/retry`)).status).toBe(200);
      await house.drain();
    },
    /** Runs the jobs that come due in the next minutes, in several rounds. */
    later: async () => {
      for (const seconds of [60, 130, 130]) {
        house.clock.advance(seconds * 1_000);
        await house.app.db.tx((tx) =>
          tx.run(sql`update graphile_worker._private_jobs set run_at = now() where run_at > now()`),
        );
        await house.drain();
      }
      await desk.read();
    },
  };
}

const unknown: Refusal = { responseCode: 550, text: '5.1.1 no such user' };

test('a recipient whom the server refuses stays known, whatever shows in the folder of sent mail', async () => {
  const desk = await openAnswered({ sentCopy: 'append' });
  ofRecipient = { 'bob@example.com': unknown };
  await desk.answer({ ccAddresses: ['bob@example.com'] });
  await desk.later();
  expect(taken).toEqual([['mia@example.com']]);
  const { delivery } = await desk.last();
  expect(delivery).toMatchObject({ status: 'bounced', error: expect.stringContaining('bob@example.com') });
  expect(server.folder(desk.address, 'Sent').mails).toHaveLength(1);
});

test('a recipient refused with the code of a sign-in leaves the mailbox alone', async () => {
  const desk = await openAnswered();
  for (const responseCode of [530, 535]) {
    ofRecipient = { 'bob@example.com': { responseCode, text: 'Authentication is required for this domain' } };
    await desk.answer({ ccAddresses: ['bob@example.com'] });
    await desk.answer({ toAddresses: ['bob@example.com'] });
  }
  expect(taken).toEqual([['mia@example.com'], ['mia@example.com']]);
  const { status } = await house.app.db.one<{ status: string }>(
    sql`select status from mailboxes where id = ${desk.id}`,
  );
  expect(status).toBe('active');
});

test('an answer that the server has refused is sent by a retry', async () => {
  const desk = await openAnswered();
  ofContent = { responseCode: 554, text: '5.7.1 looks like spam' };
  await desk.answer();
  expect((await desk.last()).delivery).toMatchObject({ status: 'failed' });
  ofContent = undefined;
  await desk.retry();
  expect(taken).toHaveLength(1);
  expect((await desk.last()).delivery).toMatchObject({ status: 'sent' });
});

test('an answer whose fate nobody knows is sent again by a person alone', async () => {
  const desk = await openAnswered();
  isCut = true;
  await desk.answer();
  await desk.later();
  await desk.later();
  expect(taken).toHaveLength(1);
  expect((await desk.last()).delivery).toMatchObject({ status: 'uncertain' });
  isCut = false;
  await desk.retry();
  await desk.later();
  expect(taken).toHaveLength(2);
  expect((await desk.last()).delivery).toMatchObject({ status: 'sent' });
});

test('a server that repeats the password shows it to nobody', async () => {
  const desk = await openAnswered();
  ofSignIn = (password) =>
    `5.7.8 refused: AUTH PLAIN ${Buffer.from(`\0${desk.address}\0${password}`).toString('base64')}`;
  await desk.answer();
  const told = JSON.stringify([
    await desk.last(),
    await house.app.db.one(sql`select status_reason, send_status_reason from mailboxes where id = ${desk.id}`),
  ]);
  expect(told).toContain('refused: AUTH PLAIN …');
  expect(told).not.toContain(Buffer.from(`\0${desk.address}\0secret`).toString('base64').replace(/=+$/, ''));
});
