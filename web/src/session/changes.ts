import { queryClient } from '../api/cache.ts';
import { ApiError, api, dataOf } from '../api/client.ts';
import { forgetPages } from '../tickets/kept/kept-pages.ts';
import { chooseWorkspace } from './chosen-workspace.ts';
import { becomePerson } from './forget.ts';
import { tellOtherTabs } from './other-tabs.ts';
import type { ProviderAnswer } from './provider-sign-in.ts';
import { meQuery } from './queries.ts';

type Session = Awaited<ReturnType<typeof startSession>>;
type Shown = { email: string; password: string } | { challenge: string; code: string };

function startSession(shown: Shown) {
  return dataOf(api.POST('/v1/auth/session', { body: { provider: 'local', transport: 'cookie', ...shown } }));
}

/** Signs in with the token of an identity provider. */
export async function signInWith({
  provider,
  idToken,
  nonce,
}: Omit<ProviderAnswer, 'next' | 'purpose'>): Promise<void> {
  await enter(await dataOf(api.POST('/v1/auth/session', { body: { provider, idToken, nonce, transport: 'cookie' } })));
}

/** The challenge of a sign-in that needs a second-factor code. @throws any other error again */
export function challengeIn(error: unknown): string {
  if (error instanceof ApiError && error.key === 'auth.second_factor_required') return String(error.params.challenge);
  throw error;
}

/** @throws `ApiError` with the key `auth.second_factor_required` and a challenge where the account needs a code */
export async function signIn(shown: Shown): Promise<void> {
  await enter(await startSession(shown));
}

/** Signs the same person in again, and leaves the page as it is. */
export async function signInAgain(shown: Shown): Promise<void> {
  const { user } = await startSession(shown);
  const isOther = await becomePerson(user.id);
  tellOtherTabs(user.id);
  // The address belongs to another account by now.
  if (isOther) window.location.reload();
}

export async function acceptInvite(invitation: {
  token: string;
  email: string;
  password: string;
  name?: string;
}): Promise<void> {
  await enter(await dataOf(api.POST('/v1/auth/accept-invite', { body: { ...invitation, transport: 'cookie' } })));
}

/** Accepts an invitation with the account that is signed in. */
export async function acceptOwnInvite(token: string): Promise<void> {
  const before = queryClient.getQueryData(meQuery.queryKey)?.workspaces ?? [];
  const { user, workspaces } = await dataOf(api.POST('/v1/me/accept-invite', { body: { token } }));
  const joined = workspaces.find(({ id }) => before.every((other) => other.id !== id));
  if (joined !== undefined) chooseWorkspace(joined.id);
  queryClient.setQueryData(meQuery.queryKey, { user, workspaces });
}

/** @returns whether the person must verify the address first */
export async function register(account: { email: string; password: string; name?: string; workspaceName?: string }) {
  const { message } = await dataOf(api.POST('/v1/auth/register', { body: account }));
  return message !== undefined;
}

export async function makeWorkspace(name: string): Promise<void> {
  const made = await dataOf(api.POST('/v1/workspaces', { body: { name } }));
  chooseWorkspace(made.id);
  await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
}

/** Leaves to the new person nothing of another. The answer of a sign-in also fills `meQuery`. */
async function enter({ user, workspaces }: Session): Promise<void> {
  await becomePerson(user.id);
  queryClient.clear();
  void forgetPages();
  queryClient.setQueryData(['me'], { user, workspaces });
  tellOtherTabs(user.id);
}
