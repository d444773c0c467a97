import { expect, test } from 'vitest';
import { bounceVerdict } from './bounce-kind.ts';
import type { BounceKind } from './bounce-kinds.ts';
import type { ReportRecipient } from './delivery-status.ts';
import { readDeliveryStatus } from './delivery-status.ts';

const failed = (status: string | null, diagnostic: string | null = null): ReportRecipient => ({
  address: 'eva@home.example',
  action: 'failed',
  status,
  diagnostic,
});

test.each<[BounceKind, string | null, string | null]>([
  ['hard', '5.1.1', 'User unknown'],
  ['hard', '5.1.10', null],
  ['hard', '5.2.1', 'The account is disabled'],
  ['hard', '5.4.4', 'Host or domain name not found'],
  ['hard', '5.0.0', '550 No such user here'],
  ['hard', null, '550 user unknown'],
  ['hard', '5.7.1', '550 5.7.1 Recipient not found'],
  ['soft', '5.2.2', 'mailbox full'],
  ['soft', '5.2.2', 'No such mailbox space'],
  ['soft', '5.1.1', '552 The mailbox of eva is full'],
  ['soft', '5.0.0', '552 Over quota'],
  ['soft', '4.4.7', 'Message expired'],
  ['soft', '4.1.1', 'User unknown for now'],
  ['soft', '5.7.1', 'Refused by policy'],
  ['soft', '5.3.4', 'Message too big'],
  ['soft', null, '451 try again later'],
  ['unknown', '5.0.0', null],
  ['unknown', null, '554 Transaction failed'],
  ['unknown', null, null],
])('a bounce is %s with %j and %j', (kind, status, diagnostic) => {
  const verdict = bounceVerdict([failed(status, diagnostic)]);
  expect(verdict).toEqual({ bounceKind: kind, enhancedStatusCode: status });
});

test('the worst of several recipients counts, and delivered recipients do not', () => {
  const got: ReportRecipient = { ...failed('5.1.1'), action: 'delivered' };
  expect(bounceVerdict([got, failed('5.2.2')])).toEqual({ bounceKind: 'soft', enhancedStatusCode: '5.2.2' });
  expect(bounceVerdict([failed('5.2.2'), failed('5.1.1')])).toEqual({
    bounceKind: 'hard',
    enhancedStatusCode: '5.1.1',
  });
});

test.each([
  ['delivered', '2.0.0', 'smtp; 250 2.0.0 OK', '2.0.0'],
  ['delivered', '2.1.5', '', '2.1.5'],
  ['failed', '2.0.0', 'smtp; 550 5.1.1 User unknown', '5.1.1'],
  ['failed', '2.0.0', 'smtp; 550 User unknown', null],
])(
  'a failure, or a report without an action, is %s with the status %s and the text %j',
  (action, status, said, expected) => {
    for (const written of ['failed', 'unheard-of']) {
      const text =
        'Final-Recipient: rfc822; eva@home.example\n' +
        `Action: ${written}\nStatus: ${status}\nDiagnostic-Code: ${said}\n`;
      expect(readDeliveryStatus(text)).toMatchObject([{ action, status: expected }]);
    }
  },
);
