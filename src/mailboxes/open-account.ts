import type { App } from '../app.ts';
import type { ProviderAccount } from '../mail/provider.ts';
import type { Mailbox } from './queries.ts';

/** A mailbox at its provider, reached with its own credentials, which are renewed and kept as the need arises. */
export function openAccount(
  _app: Pick<App, 'db' | 'providers' | 'seal' | 'clock'>,
  _mailbox: Mailbox,
  _signal?: AbortSignal,
): ProviderAccount {
  throw new Error('not built');
}
