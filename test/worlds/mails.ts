import { prepareMails } from '../../src/transport/mailflow/prepare-mails.ts';
import type { MailSource } from '../../src/transport/mailflow/raw-mails.ts';
import type { Stores } from '../../src/transport/mailflow/stores.ts';
import { knownOutcome, type Outcome } from '../../src/transport/mailflow/take/take-mail.ts';
import { takeMails } from '../../src/transport/mailflow/take/take-mails.ts';
import type { House } from '../harness/harness.ts';
import type { Person } from './factories.ts';

type MailParts = { headers?: Record<string, string>; body?: string };

let count = 0;
/** A mail from Ann to the support address. A header of '' is left out. */
export function mailOf({ headers = {}, body = 'It does not work.' }: MailParts = {}): Buffer {
  const fields = {
    From: 'Ann Example <ann@example.org>',
    To: 'support@example.com',
    Subject: 'The printer is on fire',
    Date: 'Mon, 2 Mar 2026 10:00:00 +0000',
    'Message-ID': `<m${++count}@example.org>`,
    ...headers,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}\r\n`);
}

export function sourceOf(
  house: House,
  { workspaceId }: Pick<Person, 'workspaceId'>,
  origin: MailSource['origin'] = 'live',
): MailSource {
  return {
    workspaceId,
    origin,
    via: origin === 'live' ? 'smtp' : 'import',
    mailboxId: null,
    receivedAt: house.clock.now(),
  };
}

/** @returns the outcome of each mail, in the given order */
export async function ingestMails(stores: Stores, source: MailSource, contents: readonly Buffer[]): Promise<Outcome[]> {
  const { prepared, isKnown } = await prepareMails(stores, source, contents);
  const outcomes = (await takeMails(stores, source, prepared)).values();
  return isKnown.map((known) => (known ? knownOutcome : (outcomes.next().value ?? knownOutcome)));
}

/** Ingests mails as from a mailbox, or with `import` as from an archive. */
export function ingest(house: House, owner: Person, mails: Buffer[], origin?: MailSource['origin']) {
  return ingestMails(house.app, sourceOf(house, owner, origin), mails);
}

/** All tickets of a workspace, with merged and archived tickets, oldest first. */
export async function ticketsOf(person: Person): Promise<any[]> {
  return (await person.call('GET', '/tickets?archived=any&sort=createdAt&order=asc')).body;
}

export async function liveTicketsOf(person: Person): Promise<any[]> {
  return (await ticketsOf(person)).filter(({ mergedIntoId }) => mergedIntoId === null);
}

export async function ticketOf(person: Person, id: string): Promise<any> {
  return (await person.call('GET', `/tickets/${id}`)).body;
}

/** Writes a mail with each subject to a workspace, in turn. */
export async function writeSubjects(
  house: House,
  to: Pick<Person, 'workspaceId'>,
  ...subjects: string[]
): Promise<void> {
  for (const Subject of subjects) await ingest(house, to as Person, [mailOf({ headers: { Subject } })]);
}
