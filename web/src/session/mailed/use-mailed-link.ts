import { useState } from 'react';
import { useLinkToken } from './link-token.ts';
import { isDeadLink } from './MailLinkForm.tsx';

/**
 * The state of a mailed link. The link is used only when the person presses a button, not when the page opens: scanners
 * that check mails for dangerous links open the page too.
 */
export function useMailedLink(send: (token: string, fields: Record<string, string>) => Promise<unknown>) {
  const token = useLinkToken();
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
