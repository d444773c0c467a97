import { useState } from 'react';
import { linkToken } from './link-token.ts';
import { isDeadLink } from './MailLinkForm.tsx';

/**
 * The mailed link whose page is open. It is followed when a person says so, and not as the page opens: programs that check mails
 * for dangerous links open them, too.
 */
export function useMailedLink(send: (token: string, fields: Record<string, string>) => Promise<unknown>) {
  const [token] = useState(linkToken);
  const [state, setState] = useState<'asked' | 'done' | 'dead'>(token === '' ? 'dead' : 'asked');
  const follow = async (fields: Record<string, string>) => {
    try {
      await send(token, fields);
      setState('done');
    } catch (error) {
      if (!isDeadLink(error as Error)) throw error;
      setState('dead');
    }
  };
  return { state, follow };
}
