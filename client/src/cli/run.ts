import { chmod, stat } from 'node:fs/promises';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { createClient, type KontorClient } from '../index.ts';
import { isAttended } from './ask.ts';
import { SignedOutError, UsageError } from './faults.ts';
import type { Output } from './output.ts';
import { type Profile, profileFile, readProfile, sessionIn } from './profile.ts';
import { typed } from './program.ts';

/** The values of the options before all commands, or of the environment in their place. */
export type Place = { profile: string; url: string | undefined; workspaceId: string | undefined };

export type Run = {
  output: Output;
  place: Place;
  signal: AbortSignal;
  /** Signs the person in, if there is one at the terminal, and resolves with the profile. */
  signIn: (run: Run) => Promise<Profile>;
};

/** A command, and the words that its help shows. */
export type Command = { usage: string; about: string; run(run: Run, parameters: string[]): Promise<void> };

/** The client of the profile, or of `KONTOR_URL`, `KONTOR_KEY` and `KONTOR_WORKSPACE`. */
export async function openClient(run: Run): Promise<KontorClient & { profile: Profile }> {
  const file = profileFile(run.place.profile);
  const profile = fromEnvironment(run.place) ?? (await stored(run, file)) ?? (await signInNow(run));
  const auth = profile.key ?? sessionIn(file);
  const workspaceId = run.place.workspaceId ?? profile.workspaceId;
  return { ...createClient({ url: profile.url, auth, workspaceId }), profile: { ...profile, workspaceId } };
}

/** The profile of the file. Throws a `UsageError` if the person names another service. */
async function stored({ place, output }: Run, file: string): Promise<Profile | undefined> {
  const profile = await readProfile(file);
  if (profile === undefined) return undefined;
  if (place.url !== undefined && originOf(place.url) !== profile.url)
    throw new UsageError(
      `The profile "${place.profile}" is signed in to ${profile.url}. ` +
        `Sign in to another service with "${typed('login --profile <name> --url <address>')}".`,
    );
  if (process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0) {
    await chmod(file, 0o600);
    output.note(`Others could read ${file}. Now only you can; if they may have, sign out and in again.`);
  }
  return profile;
}

/** The service of an address. */
export function originOf(address: string): string {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return new URL(address).origin;
  throw new UsageError(`"${address}" is no address: it begins with https:// or http://.`);
}

function fromEnvironment({ url, workspaceId }: Place): Profile | undefined {
  const { KONTOR_KEY: key } = process.env;
  if (!key) return undefined;
  if (workspaceId === undefined) throw new UsageError('With KONTOR_KEY, name the workspace in KONTOR_WORKSPACE.');
  return { url: originOf(url ?? defaultUrl), workspaceId, key };
}

export const defaultUrl = 'http://localhost:3000';

async function signInNow(run: Run): Promise<Profile> {
  if (!isAttended()) throw new SignedOutError(`Sign in first: "${typed('login')}".`);
  run.output.note('You are not signed in yet.');
  return run.signIn(run);
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Reads the words of a command by its options. @throws `UsageError` */
export function parse<Given extends Options>(parameters: string[], options: Given, usage: string) {
  try {
    return parseArgs({ args: parameters, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nusage: ${usage}`);
  }
}
