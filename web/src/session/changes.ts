import { queryClient } from '../api/cache.ts';
import { ApiError, api, dataOf } from '../api/client.ts';
import { flushDrafts, forgetDrafts } from '../compose/draft-keepers.ts';
import { forgetChanges } from '../tickets/changes.ts';

type Session = Awaited<ReturnType<typeof startSession>>;
type Shown = { email: string; password: string } | { challenge: string; code: string };

function startSession(shown: Shown) {
  return dataOf(api.POST('/v1/auth/session', { body: { provider: 'local', transport: 'cookie', ...shown } }));
}

/** The challenge of a sign-in that waits for the code of a second factor; any other error is thrown again. */
export function challengeIn(error: unknown): string {
  if (error instanceof ApiError && error.key === 'auth.second_factor_required') return String(error.params.challenge);
  throw error;
}

/** Throws an `ApiError` with the key `auth.second_factor_required` and a challenge where a code is asked for. */
export async function signIn(shown: Shown): Promise<void> {
  enter(await startSession(shown));
}

export async function acceptInvite(invitation: { token: string; email: string; password: string }): Promise<void> {
  enter(await dataOf(api.POST('/v1/auth/accept-invite', { body: { ...invitation, transport: 'cookie' } })));
}

/** @returns whether the address is to be verified first */
export async function register(account: { email: string; password: string; name?: string; workspaceName?: string }) {
  const { message } = await dataOf(api.POST('/v1/auth/register', { body: account }));
  return message !== undefined;
}

export async function signOut(): Promise<void> {
  await flushDrafts();
  await dataOf(api.POST('/v1/auth/logout', { body: {} }));
  forgetDrafts();
  forgetChanges();
  queryClient.clear();
}

/** The answer of a sign-in is the first answer of `readMe`. */
function enter({ user, workspaces }: Session): void {
  queryClient.clear();
  queryClient.setQueryData(['me'], { user, workspaces });
}
