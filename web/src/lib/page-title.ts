import { useEffect } from 'react';
import { words } from '../words/words.ts';

const shown = { text: '', unread: 0 };

function write(): void {
  const text = shown.text === '' ? words('app') : `${shown.text} · ${words('app')}`;
  document.title = shown.unread === 0 ? text : `(${shown.unread}) ${text}`;
  const icon = document.querySelector('link[rel=icon]');
  icon?.setAttribute('href', shown.unread === 0 ? '/icon.svg' : '/icon-unread.svg');
}

/** Sets the title of the browser tab. */
export function usePageTitle(text: string): void {
  useEffect(() => {
    shown.text = text;
    write();
  }, [text]);
}

/** Puts the number of unread notifications in front of the tab's title, and a dot on its icon. */
export function useUnreadInTitle(unread: number): void {
  useEffect(() => {
    shown.unread = unread;
    write();
    return () => {
      shown.unread = 0;
    };
  }, [unread]);
}
