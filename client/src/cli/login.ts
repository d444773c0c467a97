import { createClient, KontorError, type Session, signIn, signOut } from '../index.ts';
import { ask, askSecret, isAttended } from './ask.ts';
import { UsageError } from './faults.ts';
import { type Profile, profileFile, readProfile, removeProfile, sessionIn, writeProfile } from './profile.ts';
import { typed } from './program.ts';
import { type Command, defaultUrl, openClient, originOf, parse, type Run } from './run.ts';

const usage = typed('login [--url <address>] [--workspace <id or name>] [--email <address> | --key]');

export const login: Command = {
  usage,
  about: 'Sign in by password, or store an API key. The secret is asked for, or read from the pipe.',
  run: async (run, parameters) => {
    const options = { email: { type: 'string' }, key: { type: 'boolean' } } as const;
    const { values, positionals } = parse(parameters, options, usage);
    if (positionals.length > 0 || (values.key && values.email !== undefined)) throw new UsageError(`usage: ${usage}`);
    await (values.key ? signInByKey(run) : signInByPassword(run, values.email));
  },
};

async function addressOf({ place }: Run): Promise<string> {
  const given = place.url ?? (isAttended() ? await ask('Address of the service', defaultUrl) : defaultUrl);
  return originOf(given);
}

export async function signInByPassword(run: Run, given?: string): Promise<Profile> {
  const url = await addressOf(run);
  const email = given ?? (isAttended() ? await ask('E-mail address') : undefined);
  if (email === undefined) throw new UsageError(`Without a terminal, --email is needed.\nusage: ${usage}`);
  const password = await askSecret('Password');
  const { signal } = run;
  const session = await signIn({ url, email, password, signal, ...(isAttended() && { code: () => ask('Code') }) });
  return keep(run, { url, session });
}

async function signInByKey(run: Run): Promise<Profile> {
  const url = await addressOf(run);
  const workspaceId = run.place.workspaceId ?? (isAttended() ? await ask('Id of the workspace') : undefined);
  if (!workspaceId) throw new UsageError('An API key needs the id of its workspace: --workspace <id>.');
  const key = (await askSecret('API key')).trim();
  const kontor = createClient({ url, auth: key, workspaceId });
  await kontor.get('/v1/workspaces/{workspaceId}/counts', { signal: run.signal });
  return store(run, { url, workspaceId, key }, 'an API key');
}

/** Stores a session in the profile, in the workspace that the person named. */
async function keep(run: Run, { url, session }: { url: string; session: Session }): Promise<Profile> {
  const kontor = createClient({ url, auth: session.accessToken });
  const workspaces = await kontor.get('/v1/workspaces', { signal: run.signal });
  const wanted = run.place.workspaceId ?? session.workspaceId;
  const workspace = workspaces.find(({ id, name }) => id === wanted || name === wanted);
  if (workspace === undefined) {
    const names = workspaces.map(({ name }) => name).join(', ');
    throw new UsageError(names === '' ? 'You are in no workspace yet.' : `Name one of your workspaces: ${names}.`);
  }
  return store(run, { url, workspaceId: workspace.id, session }, workspace.name);
}

async function store(run: Run, profile: Profile, where: string): Promise<Profile> {
  const file = profileFile(run.place.profile);
  await writeProfile(file, profile);
  run.output.note(`Signed in to ${profile.url} (${where}). The profile is in ${file}.`);
  return profile;
}

export const logout: Command = {
  usage: typed('logout'),
  about: 'End the session, and forget the profile.',
  run: async (run, parameters) => {
    parse(parameters, {}, logout.usage);
    const file = profileFile(run.place.profile);
    const profile = await readProfile(file);
    if (profile?.session !== undefined) await signOut(profile.url, await sessionIn(file).load(), run);
    await removeProfile(file);
    run.output.note(profile === undefined ? 'You were not signed in.' : 'Signed out.');
  },
};

export const whoami: Command = {
  usage: typed('whoami [--json]'),
  about: 'Show who you are, and where.',
  run: async (run, parameters) => {
    parse(parameters, {}, whoami.usage);
    const kontor = await openClient(run);
    const { url, workspaceId } = kontor.profile;
    const me = await kontor.get('/v1/me', { signal: run.signal }).catch((error: unknown) => {
      if (error instanceof KontorError && error.key === 'auth.session_required') return undefined;
      throw error;
    });
    const seen = { url, workspaceId, email: me?.user.email ?? null, kind: me === undefined ? 'key' : 'person' };
    if (run.output.isJson) run.output.json(seen);
    else run.output.line(`${seen.email ?? 'An API key'} at ${url}, workspace ${workspaceId}`);
  },
};
