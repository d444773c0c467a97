import { expect, test } from 'vitest';
import type { ContactId, WorkspaceId } from '../../../ground/lib/ids.ts';
import type { UnderstoodMail } from '../understand.ts';
import { findNamedByDesk } from './former-desk.ts';

test.each([
  ['none', 'The printer is on fire', 0],
  ['one', 'The printer is on fire [#123456] [#7] [Ticket#31001]', 1],
])('a mail with %s of the tokens of help desks costs that many statements', async (_what, subject, statements) => {
  let count = 0;
  const rows = async () => {
    count += 1;
    return [];
  };
  const parsed = { messageId: 'a@b.example', inReplyTo: ['c@b.example'], references: ['d@b.example'] };
  const addresses = { toAddresses: ['support@acme.example'], ccAddresses: [], deliveredToAddresses: [] };
  const mail = { ...addresses, parsed, subject, body: 'It [really] burns.', raw: { receivedAt: new Date() } };
  const named = await findNamedByDesk({ rows }, 'w' as WorkspaceId, {
    mail: mail as unknown as UnderstoodMail,
    contactId: 'c' as ContactId,
    isReply: true,
  });
  expect({ named, count }).toEqual({ named: undefined, count: statements });
});
