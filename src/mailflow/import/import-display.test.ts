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
