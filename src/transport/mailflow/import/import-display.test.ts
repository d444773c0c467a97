import { expect, test } from 'vitest';
import { importDisplay } from './import-display.ts';

test('the report counts what was left out, and file names cannot send commands to the terminal', async () => {
  let written = '';
  const output = { write: (text: string) => (written += text) };
  const display = await importDisplay(output, async () => 0);
  const odd = 'a\n\u001b[2Jb\u009b31m';
  const leftOut = { drafts: 1, deleted: 0, spam: 2_000, chats: 0 };
  const passedOver = [{ source: odd, reason: 'not-a-mail' as const, message: 'not a mail' }];
  const totals = { read: 0, readBytes: 0, new: 0, known: 0, quarantined: 0, resumed: 0, tickets: 0 };
  display.end({ ...totals, passedOver, leftOut });
  expect(written).toContain('  a\ufffd\ufffd[2Jb\ufffd31m: not a mail\n');
  expect(written).toMatch(/drafts, left out +1\n +spam, left out +2000\nin /);
});

test('the report tells of the mails of a killed run, if there were any', async () => {
  const leftOut = { drafts: 0, deleted: 0, spam: 0, chats: 0 };
  const totals = { read: 3, readBytes: 9, new: 1, known: 2, quarantined: 0, resumed: 2, tickets: 3 };
  const reportOf = async (resumed: number) => {
    let written = '';
    const display = await importDisplay({ write: (text: string) => (written += text) }, async () => 0);
    display.end({ ...totals, resumed, passedOver: [], leftOut });
    return written;
  };
  expect(await reportOf(2)).toMatch(/read +3\n +new +1\n +already there +2\n.*tickets +3\n +resumed +2\nin /s);
  expect(await reportOf(0)).not.toContain('resumed');
});
