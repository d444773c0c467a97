import type { MailProvider } from '../provider.ts';

export type GmailOptions = {
  apiUrl: string;
  tokenUrl: string;
  authorizeUrl: string;
  client: { id: string; secret: string } | undefined;
};

export function openGmail(_options: GmailOptions): MailProvider {
  const missing = () => {
    throw new Error('not built');
  };
  return {
    name: 'mail-b',
    consentUrl: missing,
    redeemCode: missing,
    refresh: missing,
    openAccount: missing,
    close: async () => {},
  };
}
