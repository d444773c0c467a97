import type { App } from '../../../app.ts';
import { type Tx, together } from '../../../ground/database/db.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import type { Language } from '../../../ground/lib/language.ts';
import { caseKey, firstCodePoints } from '../../../ground/lib/text.ts';
import { enqueue } from '../../../ground/queue/enqueue.ts';
import { createUser } from '../../accounts/create-user.ts';
import { findAccount } from '../../accounts/queries.ts';
import type { PasswordStrength } from '../../accounts/schema.ts';
import { claimTurn } from '../../accounts/throttle.ts';
import { createWorkspace } from '../../workspaces/create-workspace.ts';
import { isRegistrationOpen, isRegistrationOpenInTurn } from '../../workspaces/registration.ts';

export type Register = {
  email: string;
  password: string;
  name?: string;
  workspaceName?: string;
  language?: Language | null;
};
export type Registered = ({ message: string } | { userId: UserId }) & { passwordStrength?: PasswordStrength };

const mailedMessage = 'A mail is on its way to this address. Follow the link in it to go on.';
const takenMailEverySeconds = 60;

/**
 * Creates an account and its first workspace. With verification on, a taken address gets the same answer, and its owner
 * gets a mail. With verification off, throws 409 `auth.email_taken`. The strength verdict depends only on the submitted
 * fields, so it does not reveal whether the address is taken.
 */
export async function register({ config, db, passwords, passwordJudge }: App, input: Register): Promise<Registered> {
  if (!(await isRegistrationOpen(db, config))) throw new AppError('auth.registration_closed');
  // Hashes before it looks the address up, so that timing does not reveal whether the address is taken.
  const [passwordHash, passwordStrength] = await together([
    passwords.hash(input.password),
    passwordJudge.judge(input.password, { about: [input.email, input.name], field: 'password' }),
  ]);
  const registered = await db.tx(async (tx): Promise<Registered> => {
    if (!(await isRegistrationOpenInTurn(tx, config))) throw new AppError('auth.registration_closed');
    const { email, name: personName = null, language = null } = input;
    const userId = await createUser(tx, { email, name: personName, passwordHash, isVerified: false, language });
    if (userId === undefined) {
      if (!config.isEmailVerificationRequired) throw new AppError('auth.email_taken');
      await tellOwner(tx, email);
      return { message: mailedMessage };
    }
    const name = input.workspaceName ?? workspaceNameFor(input);
    const made = createWorkspace(tx, { name, ownerId: userId });
    if (!config.isEmailVerificationRequired) {
      await made;
      return { userId };
    }
    await together([made, enqueue(tx, 'system-mail.send', { kind: 'verify-email', userId })]);
    return { message: mailedMessage };
  });
  return passwordStrength === undefined ? registered : { ...registered, passwordStrength };
}

/** Sends at most one mail a minute, however often a stranger registers the owner's address. */
async function tellOwner(tx: Tx, email: string): Promise<void> {
  const [account, waitSeconds] = await together([
    findAccount(tx, email),
    claimTurn(tx, { action: 'address-taken', subject: caseKey(email), everySeconds: takenMailEverySeconds }),
  ]);
  // Enqueues for an unknown user when no mail is due, so that the work is the same as for a free address.
  const userId = account !== undefined && waitSeconds === 0 ? account.id : tx.newId<UserId>();
  await enqueue(tx, 'system-mail.send', { kind: 'address-taken', userId });
}

/** The default name of a first workspace. */
export function workspaceNameFor({ email, name }: { email: string; name?: string | null }): string {
  return firstCodePoints(`Workspace of ${name ?? email.slice(0, email.indexOf('@'))}`, 100);
}
