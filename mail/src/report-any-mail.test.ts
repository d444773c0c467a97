import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeCorpus } from '../../test/harness/corpus.ts';
import { readReport } from './bounces/report.ts';
import { parseMail } from './parse.ts';

const PIECES = [
  '',
  '--b',
  'Content-Type: multipart/report; boundary=b',
  'Content-Type: message/delivery-status',
  'Content-Type: message/disposition-notification',
  'Content-Type: message/feedback-report',
  'Final-Recipient: rfc822;',
  'Final-Recipient: rfc822; eva@home.example',
  'Action: failed',
  'Status: 5.1.1',
  'Feedback-Type: abuse',
  '{"notificationType":"Bounce","bounce":{"bouncedRecipients":[null,{}]}}',
  '<eva@home.example>:',
  'Message-ID: <',
  'Received: x',
];

test('any parsable mail is read without throwing', async () => {
  const line = fc.oneof(fc.string(), fc.constantFrom(...PIECES));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
      const head = ['From: MAILER-DAEMON@mx.example', 'Subject: failure notice'];
      readReport(await parseMail(Buffer.from([...head, ...lines].join('\r\n'))));
    }),
  );
});

test.each(['your message ', 'the following ', '<a@b ', 'From: a\n', 'a.b@', 'could not be ', '{"notificationType":{'])(
  'a megabyte of %j takes seconds at most (backtracking would take minutes)',
  async (unit) => {
    const mail = await parseMail(
      Buffer.from('Return-Path: <>\nFrom: MAILER-DAEMON@mx.example\nSubject: failure notice\n\n'),
    );
    readReport({ ...mail, text: unit.repeat(Math.ceil(1_000_000 / unit.length)) });
  },
);

describeCorpus('the corpus', (corpus) => {
  test('at least 98 % of the reports are recognised, but no mail of a person', async () => {
    const kinds = async (folder: string) => {
      const names = readdirSync(resolve(corpus, folder));
      return Promise.all(
        names.map(async (name) => ({
          name,
          kind: readReport(await parseMail(readFileSync(resolve(corpus, folder, name))))?.kind,
        })),
      );
    };
    const bounces = await kinds('bounces');
    const missed = bounces.filter(({ kind }) => kind !== 'bounce' && kind !== 'delay' && kind !== 'complaint');
    expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(bounces.length * 0.02);
    const others = [...(await kinds('list-threads')), ...(await kinds('messages'))];
    const wrong = others.filter(({ name, kind }) => kind !== undefined && !name.startsWith('multipart_report'));
    expect(wrong).toEqual([]);
  });
});
