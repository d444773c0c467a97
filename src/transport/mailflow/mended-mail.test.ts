import { expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { ingestMails } from '../../../test/worlds/mails.ts';
import { openLog } from '../../ground/platform/log.ts';

const house = useHouse();

it('defects of a mail are logged with its id, without its content', async () => {
  const { workspaceId } = await makeOwner(house);
  const lines: string[] = [];
  const log = openLog('debug', { write: (line) => lines.push(line) });
  const source = { workspaceId, origin: 'live', via: 'smtp', mailboxId: null, receivedAt: house.clock.now() } as const;
  await ingestMails({ ...house.app, log }, source, [
    Buffer.from('From: ann@example.org\nSubject: Secret\nDate: Mon, 2 Mar 2026 10:00:00 +0000\n\nSecret text.\n'),
    Buffer.from(
      'From: ann@example.org\nSubject: Secret\nDate: Mon, 2 Mar 2026 10:00:00 +0000\n' +
        'Message-ID: <1@example.org>\n\nSound.\n',
    ),
  ]);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ rawMailId: expect.any(String), defects: ['no Message-ID'] });
  expect(lines[0]).not.toMatch(/ann|secret/i);
});
