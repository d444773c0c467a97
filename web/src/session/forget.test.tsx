import { expect, test } from 'vitest';
import { forgetPerson } from './forget.ts';
import { answerForLink, keepForLink } from './provider-sign-in.ts';

test('the next person does not link the account of the one who has signed out', async () => {
  keepForLink({ provider: 'oauth_a', purpose: 'link', next: '/settings/security', idToken: 'theirs', nonce: 'n' });
  expect(answerForLink()).toMatchObject({ idToken: 'theirs' });
  await forgetPerson();
  expect(answerForLink()).toBeUndefined();
});
