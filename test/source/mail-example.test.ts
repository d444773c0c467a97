import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeMail } from '../../emulators/customer-mail.ts';

const root = join(import.meta.dirname, '../..');

test('the example of the mail package runs as it is printed', async () => {
  const page = readFileSync(join(root, 'mail/README.md'), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  // Below the root, so that the package is found by its name; not where other tests read the sources.
  mkdirSync(join(root, 'tmp'), { recursive: true });
  const file = join(root, 'tmp', `example-${process.pid}.ts`);
  writeFileSync(file, example);
  try {
    const { understand } = (await import(file)) as {
      understand(raw: Uint8Array): Promise<unknown>;
    };
    const text = 'It arrived.\n\nOn Mon, 2 Nov 2026 at 10:00, Desk <desk@example.com> wrote:\n> Did it arrive?\n';
    const fields = { text, inReplyTo: 'asked@example.com', headers: { 'Auto-Submitted': 'auto-replied' } };
    const mail = await writeMail(fields, { to: 'desk@example.com', date: new Date('2026-11-03T00:00:00Z') });
    expect(await understand(mail)).toEqual({
      failed: [],
      machine: 'auto-reply',
      parents: ['asked@example.com'],
      said: 'It arrived.',
    });
  } finally {
    rmSync(file);
  }
});
