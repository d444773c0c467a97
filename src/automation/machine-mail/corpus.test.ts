import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeCorpus } from '../../../test/harness/corpus.ts';
import { type MailContent, readMail } from '../../transport/mailflow/understand.ts';
import { judgeMail } from './judge-mail.ts';

/** What would get an answer if each mail were live, proven and addressed to us, and its envelope named its writer. */
async function answeredOf(folder: string): Promise<string[]> {
  const answered: string[] = [];
  for (const name of readdirSync(folder)) {
    const mail = await readMail({
      sha256: name,
      origin: 'live',
      mailboxId: null,
      receivedAt: new Date('2026-01-02T03:04:05Z'),
      envelope: { from: null, to: [] },
      hosted: null,
      bytes: readFileSync(join(folder, name)),
    });
    if (!('reason' in mail) && isAnswered(mail)) answered.push(name);
  }
  return answered;
}

function isAnswered({ from, automaticKind, headers, envelopeFrom, toAddresses, ccAddresses }: MailContent): boolean {
  const authorEmail = from?.email ?? null;
  const judged = judgeMail(
    {
      ...{ isOfCustomer: true, isLive: true, isSample: false, automaticKind, headers, authorEmail, verdict: 'pass' },
      ...{
        envelopeFrom: envelopeFrom ?? authorEmail,
        addressedTo: [...toAddresses, ...ccAddresses, 'help@us.example'],
      },
    },
    { isOwn: (email) => email === 'help@us.example', isMember: () => false, isBlocked: () => false },
  );
  return 'to' in judged;
}

describeCorpus('the gate over the corpus', (corpus) => {
  it.each(['bounces', 'list-threads'])('answers none of %s', async (folder) => {
    expect(await answeredOf(join(corpus, folder))).toEqual([]);
  });

  it('answers most mails of people', async () => {
    expect((await answeredOf(join(corpus, 'messages'))).length).toBeGreaterThan(40);
  });
});
