import { expect, test } from 'vitest';
import { letters } from './letters.ts';

const link = 'https://kontor.example/link';
const facts = { workspaceName: 'Acme', publicUrl: link };
const trouble = {
  ...facts,
  address: 'info@acme.example',
  since: '2026-01-02 10:00 UTC',
  reason: 'The server is gone.',
  reasonKey: 'away' as const,
};

const written = Object.entries(letters).map(([language, words]) => ({
  language,
  mails: [
    words.verificationLetter(link),
    words.addressTakenLetter(link, true),
    words.addressTakenLetter(link, false),
    words.resetLetter(link),
    words.changeEmailLetter(link),
    words.emailChangedLetter(link),
    words.signInChangedLetter('password', link),
    words.signInChangedLetter('identity-linked', link),
    words.invitationLetter({ ...facts, inviterName: 'Ann', inviterEmail: 'ann@acme.example', link }),
    words.invitationLetter({ workspaceName: null, inviterName: null, inviterEmail: 'ann@acme.example', link }),
    words.webhookDisabledLetter({ ...facts, origin: link, cause: 'gone' }),
    words.mailboxTroubleLetter({ ...trouble, field: 'sendStatus', status: 'error' }),
    words.mailboxTroubleLetter({ ...trouble, field: 'status', status: 'reauthorization_required' }),
    words.teamJoinedLetter({ ...facts, teamName: 'People', memberName: 'Ann' }),
    words.digestLetter({ ...facts, titles: ['New reply in #7 Brakes'], count: 9, unsubscribeUrl: link }),
  ],
}));

test.each(written)('each mail in $language has its links alone on their lines', ({ mails }) => {
  for (const { text } of mails) expect(text.split('\n').filter((line) => line.includes(link))).toContain(link);
  for (const { text } of mails) expect(text).not.toMatch(/\S https:|https:\S+ /);
});

test('no sentence of one language stands in a mail of another', () => {
  const [english = [], german = []] = written.map(({ mails }) => mails);
  for (const [place, { subject, text }] of english.entries()) {
    const other = german[place];
    expect(other?.subject).not.toBe(subject);
    const shared = text.split('\n\n').filter((part) => other?.text.split('\n\n').includes(part) === true);
    expect(shared.filter((part) => part.trim() !== link && !part.startsWith('- '))).toEqual([]);
    expect(other?.text.match(/https:\S+/g)).toEqual(text.match(/https:\S+/g));
  }
});

test('the German mail of a mailbox says why in German, and quotes the service', () => {
  const { text } = letters.de.mailboxTroubleLetter({ ...trouble, field: 'status', status: 'error' });
  expect(text).toContain('Der Grund: Der Anbieter antwortet zurzeit nicht richtig.');
  expect(text).toContain('Im Wortlaut: The server is gone.');
});
