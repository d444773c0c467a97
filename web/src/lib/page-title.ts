import { useEffect } from 'react';
import { words } from '../words/words.ts';

const shown = { text: '', unread: 0 };

function write(): void {
  const text = shown.text === '' ? words('app') : `${shown.text} · ${words('app')}`;
  document.title = shown.unread === 0 ? text : `(${shown.unread}) ${text}`;
}

/** What the tab is called while the component shows. */
export function usePageTitle(text: string): void {
  useEffect(() => {
    shown.text = text;
    write();
  }, [text]);
}

/** How much is unread stands in front of every title. */
export function useUnreadInTitle(unread: number): void {
  useEffect(() => {
    shown.unread = unread;
    write();
    return () => {
      shown.unread = 0;
    };
  }, [unread]);
}
