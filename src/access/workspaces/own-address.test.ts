import { expect, test } from 'vitest';
import { isOwnAddress } from './own-address.ts';

const own = { localPart: 'inbox-1a', mailFrom: 'Support+Team@Bücher.example', namedAddresses: ['Help@Shop.example'] };

test.each([
  'support@bücher.example',
  'SUPPORT+x+y@xn--bcher-kva.example',
  'inbox-1a@bücher.example',
  'Inbox-1A+token@XN--BCHER-KVA.example',
  'help+x@shop.example',
])('%s is ours', (email) => {
  expect(isOwnAddress(own, email)).toBe(true);
});

test.each(['inbox-1a@shop.example', 'inbox-1@bücher.example', 'ann@bücher.example', 'support', '@', ''])(
  '%s is somebody else’s',
  (email) => {
    expect(isOwnAddress(own, email)).toBe(false);
  },
);
