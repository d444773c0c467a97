import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type FoundMail, type ProviderAccount, ProviderFault } from '../src/mail/provider.ts';
import { keepAccess, openGmailWorld, openGraphWorld, type ProviderWorld } from './provider-worlds.ts';

/** A provider under the contract, with new mailboxes on request. */
type Held = ProviderWorld & {
  openMailbox(signal?: AbortSignal): {
    address: string;
    access: ReturnType<typeof keepAccess>;
    account: ProviderAccount;
  };
  /** Another world of the same provider. */
  openAnother(): Promise<ProviderWorld>;
};

/** Holds each provider to a part of the contract. */
export function holdToContract(suite: (world: Held) => void): void {
  describe.each([
    ['microsoft', openGraphWorld],
    ['gmail', openGmailWorld],
  ] as const)('%s keeps the contract of a provider:', (name, open) => {
    const world = {
      openMailbox: (signal) => {
        const { address, refreshToken } = world.addMailbox();
        const access = keepAccess(world.provider, refreshToken, signal);
        return { address, access, account: world.provider.openAccount(access) };
      },
      openAnother: open,
    } as Held;
    beforeAll(async () => {
      Object.assign(world, await open());
      expect(world.provider.name).toBe(name);
    });
    afterAll(() => world.close());
    suite(world);
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
