import { expect, test } from 'vitest';
import { faultOf } from './faults.ts';

test.each([
  ['a right password that is refused for now', 'LIMIT', 'Wait.', 'throttled'],
  ['the same without a code', undefined, 'Too many simultaneous connections. (Failure)', 'throttled'],
  ['the same with a code that says nothing', 'ALERT', 'Maximum number of connections exceeded', 'throttled'],
  ['a wrong password', 'AUTHENTICATIONFAILED', 'Authentication failed.', 'unauthorized'],
  ['a wrong password in words of a pause', 'AUTHENTICATIONFAILED', 'Too many failures. Try again.', 'unauthorized'],
  ['a refusal without reasons', undefined, 'Invalid credentials, try again later', 'unauthorized'],
])('a sign-in with %s', (_what, serverResponseCode, responseText, kind) => {
  const error = Object.assign(new Error('Command failed'), {
    authenticationFailed: true,
    serverResponseCode,
    responseText,
  });
  expect(faultOf(error)).toMatchObject({ kind });
});
