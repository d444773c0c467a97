import { createHash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { changesOf, expectFault, holdToConsent, holdToContract } from '../../../test/worlds/provider-contract.ts';
import type { ProviderAccount } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';

holdToConsent((world) => {
  const { openMailbox } = world;

  describe('consent', () => {
    const redirectUri = 'http://127.0.0.1:9/callback';
    const consent = async (address: string, verifier: string) => {
      const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
      const url = world.provider.consentUrl({ redirectUri, state: 'a state', codeChallenge, loginHint: address });
      const response = await fetch(url, { redirect: 'manual' });
      const back = new URL(response.headers.get('location') ?? '');
      return { code: back.searchParams.get('code') ?? '', state: back.searchParams.get('state') };
    };
    const newVerifier = () => randomBytes(48).toString('base64url');

    it('leads to tokens for the mailbox of the consenting account', async () => {
      const { address } = world.addMailbox();
      const codeVerifier = newVerifier();
      const { code, state } = await consent(address, codeVerifier);
      expect(state).toBe('a state');
      const tokens = await world.provider.redeemCode({ code, codeVerifier, redirectUri });
      expect(tokens).toMatchObject({ refreshToken: expect.any(String), expiresInSeconds: expect.any(Number) });
      const account = world.provider.openAccount({
        token: async () => tokens.accessToken,
        renew: () => Promise.reject(new Error('it is fresh')),
      });
      expect(await account.profile()).toMatchObject({ address });
    });

    it('is useless without the verifier, and after its first use', async () => {
      const { address } = world.addMailbox();
      const codeVerifier = newVerifier();
      const redeem = (grant: { code: string; codeVerifier: string }) =>
        world.provider.redeemCode({ ...grant, redirectUri });
      const stolen = await consent(address, codeVerifier);
      await expectFault(redeem({ code: stolen.code, codeVerifier: newVerifier() }), { kind: 'unauthorized' });
      const { code } = await consent(address, codeVerifier);
      await redeem({ code, codeVerifier });
      await expectFault(redeem({ code, codeVerifier }), { kind: 'unauthorized' });
    });

    it('does not suffice without reading and sending', async () => {
      const { refreshToken } = world.addMailbox('reading alone');
      await expectFault(world.provider.refresh(refreshToken), { kind: 'unauthorized', code: 'insufficient_scope' });
    });

    it('is impossible without an application', async () => {
      const provider = world.openProvider(undefined);
      expect(() => provider.consentUrl({ redirectUri, state: '', codeChallenge: '' })).toThrow(ProviderFault);
      await expectFault(provider.refresh('a token'), { kind: 'misconfigured' });
    });
  });

  describe('refreshing', () => {
    it('returns tokens as often as needed', async () => {
      const { refreshToken } = world.addMailbox();
      const first = await world.provider.refresh(refreshToken);
      expect(first.refreshToken !== null).toBe(world.rotates);
      const second = await world.provider.refresh(first.refreshToken ?? refreshToken);
      expect(second.accessToken).not.toBe(first.accessToken);
    });

    it('reports an ended grant', async () => {
      const { address, refreshToken } = world.addMailbox();
      await world.revoke?.(address);
      const fault = await expectFault(world.provider.refresh(refreshToken), { kind: 'unauthorized' });
      expect(fault.message).toMatch(/again/);
      expect(fault.message).not.toContain(refreshToken);
    });

    it('reports a refused application, which is not the mailbox’s problem', async () => {
      const { refreshToken } = world.addMailbox();
      const stranger = world.openProvider({ id: 'client-of-kontor', secret: 'wrong' });
      await expectFault(stranger.refresh(refreshToken), { kind: 'misconfigured', code: 'invalid_client' });
    });

    it('reports an outage of the provider, which says nothing about the grant', async () => {
      const { address, refreshToken } = world.addMailbox();
      world.fail('token', address, { kind: 'down' });
      await expectFault(world.provider.refresh(refreshToken), { kind: 'unavailable' });
      await world.provider.refresh(refreshToken);
    });
  });

  describe('a failure', () => {
    it('of an expired access token is corrected by a renewal, once', async () => {
      const { address, access, account } = openMailbox();
      await account.profile();
      world.expireAccess(address);
      expect(await account.profile()).toMatchObject({ address });
      expect(access.renewals()).toBe(1);
      world.fail('profile', address, { kind: 'unauthorized', times: 2 });
      await expectFault(account.profile(), { kind: 'unavailable', evidence: 'denial' });
      expect(access.renewals()).toBe(2);
    });
  });
});

holdToContract((world, can) => {
  const { openMailbox } = world;

  describe.runIf(can.fail)('a failure', () => {
    const trouble = {
      throttled: { kind: 'throttled' },
      down: { kind: 'unavailable' },
      broken: { kind: 'unavailable' },
      forbidden: { kind: 'forbidden' },
    } as const;
    const asking = {
      profile: (account: ProviderAccount) => account.profile(),
      changes: async (account: ProviderAccount, anchor: string) => changesOf(account, anchor),
      fetch: (account: ProviderAccount, _anchor: string, providerId: string) =>
        account.fetch({ providerId, folder: 'inbox' }),
      history: (account: ProviderAccount) => account.history(new Date(), ''),
    } as const;

    it.each(Object.keys(trouble) as (keyof typeof trouble)[])('is reported by its kind: %s', async (kind) => {
      const { address, account } = openMailbox();
      const anchor = await account.anchor();
      const id = await world.deliver(address);
      for (const asked of Object.keys(asking) as (keyof typeof asking)[]) {
        world.fail?.(asked, address, { kind });
        const fault = await expectFault(asking[asked](account, anchor, id), {
          ...trouble[kind],
          ...(kind === 'throttled' && { retryAfterMs: world.waitMs as number }),
          mayHaveHappened: false,
        });
        // People and logs get this sentence.
        expect(inspect(fault, { depth: 5 })).not.toContain(await world.secretOf(address));
      }
    });

    it('of the access itself is reported as such', async () => {
      const { address, account } = openMailbox();
      await account.profile();
      await world.revoke?.(address);
      await expectFault(account.profile(), { kind: 'unauthorized', evidence: 'final' });
    });

    it('does not delay an abort', async () => {
      const ending = new AbortController();
      const { account } = openMailbox(ending.signal);
      await account.profile();
      ending.abort();
      await expectFault(account.profile(), { kind: 'unavailable', code: 'aborted' });
    });
  });
});
