import { expect, test } from 'vitest';
import { importDisplay } from './import-display.ts';

test('file names cannot send commands to the terminal', async () => {
  let written = '';
  const output = { write: (text: string) => (written += text) };
  const display = await importDisplay(output, async () => 0);
  const odd = 'a\n\u001b[2Jb\u009b31m';
  const passedOver = [{ source: odd, reason: 'not-a-mail' as const, message: 'not a mail' }];
  display.end({ read: 0, readBytes: 0, new: 0, known: 0, quarantined: 0, tickets: 0, passedOver });
  expect(written).toContain('  a\ufffd\ufffd[2Jb\ufffd31m: not a mail\n');
});
