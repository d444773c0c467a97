import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { FoundMail, ProviderAccount } from '../../src/mail/provider.ts';
import { ProviderFault } from '../../src/mail/provider-fault.ts';
import { hasCyrus } from '../peers/cyrus.ts';
import { hasDovecot } from '../peers/dovecot.ts';
import { openCyrusWorld, openDovecotWorld, openImapWorld } from './imap-worlds.ts';
import { keepAccess, type OAuthWorld, openGmailWorld, openGraphWorld, type ProviderWorld } from './provider-worlds.ts';

/** A provider with consent under the contract, with new mailboxes on request. */
type HeldOAuth = OAuthWorld & {
  openMailbox(signal?: AbortSignal): {
    address: string;
    access: ReturnType<typeof keepAccess>;
    account: ProviderAccount;
  };
};

const oauthWorlds = [
  ['microsoft', openGraphWorld],
  ['gmail', openGmailWorld],
] as const;

/** Holds each provider to a part of the contract. */
export function holdToContract(
  suite: (world: ProviderWorld & { openAnother(): Promise<ProviderWorld> }, can: { fail: boolean }) => void,
): void {
  const worlds = [
    ...oauthWorlds.map(([name, open]) => [name, async () => withMailboxes(await open()), true] as const),
    ['imap', openImapWorld, true] as const,
    ...(hasDovecot ? [['imap at Dovecot', openDovecotWorld, false] as const] : []),
    ...(hasCyrus ? [['imap at Cyrus', openCyrusWorld, false] as const] : []),
  ];
  describe.each(worlds)('%s keeps the contract of a provider:', (name, open, fails) => {
    let opened: ProviderWorld | undefined;
    const openMailbox: ProviderWorld['openMailbox'] = (signal) => (opened as ProviderWorld).openMailbox(signal);
    const world = { openAnother: open, openMailbox } as Parameters<typeof suite>[0];
    beforeAll(async () => {
      opened = await open();
      Object.assign(world, opened);
      expect(name).toContain(world.name);
    });
    afterAll(() => world.close());
    suite(world, { fail: fails });
  });
}

/** Holds each provider to which a person consents to its part of the contract. */
export function holdToConsent(suite: (world: HeldOAuth) => void): void {
  describe.each(oauthWorlds)('%s keeps the contract of consent:', (_name, open) => {
    const world = {
      openMailbox: (signal) => {
        const { address, refreshToken } = world.addMailbox();
        const access = keepAccess(world.provider, refreshToken, signal);
        return { address, access, account: world.provider.openAccount(access) };
      },
    } as HeldOAuth;
    beforeAll(async () => {
      Object.assign(world, await open());
    });
    afterAll(() => world.close());
    suite(world);
  });
}

function withMailboxes(world: OAuthWorld): ProviderWorld {
  const kept = new Map<string, ReturnType<typeof keepAccess>>();
  const accessOf = (address: string) => {
    const access = kept.get(address);
    if (access === undefined) throw new Error(`${address} was never opened`);
    return access;
  };
  return Object.assign(world, {
    name: world.provider.name,
    openMailbox: (signal?: AbortSignal) => {
      const { address, refreshToken } = world.addMailbox();
      const access = keepAccess(world.provider, refreshToken, signal);
      kept.set(address, access);
      return { address, account: world.provider.openAccount(access) };
    },
    openAgain: (address: string) => {
      const { token, renew } = accessOf(address);
      return world.provider.openAccount({ token, renew });
    },
    secretOf: (address: string) => accessOf(address).token(),
  });
}

export async function expectFault(work: Promise<unknown>, fault: Partial<ProviderFault>): Promise<ProviderFault> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProviderFault);
  expect(error).toMatchObject(fault);
  return error as ProviderFault;
}

export async function pagesOf(account: ProviderAccount, from: string) {
  const pages: { found: FoundMail[]; cursor: string | null }[] = [];
  for await (const page of account.changes(from)) pages.push(page);
  return pages;
}

export async function changesOf(
  account: ProviderAccount,
  from: string,
): Promise<{ found: FoundMail[]; cursor: string }> {
  const pages = await pagesOf(account, from);
  return { found: pages.flatMap(({ found }) => found), cursor: pages.at(-1)?.cursor ?? '' };
}

export async function fetchAll(account: ProviderAccount, found: readonly FoundMail[]) {
  const once = new Map(found.map((mail) => [mail.providerId, mail]));
  const fetched = await Promise.all([...once.values()].map((mail) => account.fetch(mail)));
  return fetched.filter((mail) => 'raw' in mail);
}

export async function foldersOf(
  account: ProviderAccount,
  found: readonly FoundMail[],
): Promise<Record<string, string>> {
  return Object.fromEntries((await fetchAll(account, found)).map(({ providerId, folder }) => [providerId, folder]));
}
