import type { MailProvider } from '../provider.ts';

export type GraphOptions = {
  apiUrl: string;
  tokenUrl: string;
  authorizeUrl: string;
  client: { id: string; secret: string } | undefined;
};

export function openGraph(_options: GraphOptions): MailProvider {
  const missing = () => {
    throw new Error('not built');
  };
  return {
    name: 'mail-a',
    consentUrl: missing,
    redeemCode: missing,
    refresh: missing,
    openAccount: missing,
    close: async () => {},
  };
}
