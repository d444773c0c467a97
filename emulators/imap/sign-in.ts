/** LOGIN and AUTHENTICATE. */
import type { Token } from './command.ts';
import type { ImapAccount } from './mailbox.ts';
import { type ImapSession, Refusal } from './world.ts';

export function login(session: ImapSession, [user, password]: Token[]): string {
  if (!session.isEncrypted) throw new Refusal('[PRIVACYREQUIRED] Start TLS first');
  return enter(session, String(user), (account) => account.password === String(password));
}

/** @returns the answer, or undefined after a request for the client's response */
export function authenticate(
  session: ImapSession,
  [mechanism, response]: Token[],
): ((line: string) => string) | string {
  if (!session.isEncrypted) throw new Refusal('[PRIVACYREQUIRED] Start TLS first');
  const name = String(mechanism).toUpperCase();
  if (name !== 'PLAIN' && name !== 'XOAUTH2') throw new Refusal(`[CANNOT] No mechanism ${name}`);
  const take = (line: string) => {
    if (line === '*') throw new Refusal('Cancelled', 'BAD');
    const text = Buffer.from(line, 'base64').toString();
    return name === 'PLAIN' ? takePlain(session, text) : takeToken(session, text);
  };
  return response === undefined ? take : take(String(response));
}

function takePlain(session: ImapSession, text: string): string {
  const [, user = '', password = ''] = text.split('\0');
  return enter(session, user, (account) => account.password === password);
}

function takeToken(session: ImapSession, text: string): string {
  const { user = '', token = '' } =
    /^user=(?<user>[^\x01]*)\x01auth=Bearer (?<token>[^\x01]*)/.exec(text)?.groups ?? {};
  return enter(session, user, (account) => account.tokens.has(token));
}

function enter(session: ImapSession, user: string, isRight: (account: ImapAccount) => boolean): string {
  const { accounts, quirks, sessions } = session.world;
  if (quirks.loginRefusal !== null) throw new Refusal(`[${quirks.loginRefusal}] Sign-in refused`);
  const account = accounts.get(user.toLowerCase());
  if (account === undefined || !isRight(account)) throw new Refusal('[AUTHENTICATIONFAILED] Wrong name or password');
  const others = [...sessions].filter((other) => other.account === account).length;
  if (others >= quirks.connectionsMax) throw new Refusal('[LIMIT] Too many connections of this account');
  session.account = account;
  return 'OK Signed in';
}
