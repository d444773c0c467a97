import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { usePreferences } from '../../lib/preferences.ts';
import { trustedHtml } from '../../lib/trusted-html.ts';
import mailStyles from '../../styles/mail.css?url';
import { hasColours } from '../../tickets/mail-html.ts';
import styles from './MailFrame.module.css';
import { mailPolicy } from './mail-policy.ts';

const emptyDocument = trustedHtml(
  [
    '<!doctype html><html lang=""><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${mailPolicy}">`,
    `<link rel="stylesheet" href="${mailStyles}"><title>-</title><body dir="auto">`,
  ].join(''),
);

type Props = {
  /** HTML from the service's sanitiser; null while the frame waits for a mail. */
  html: string | null;
  title: string;
};

/**
 * The HTML of a mail. The service has sanitised it; the frame runs no scripts, loads nothing from other hosts and
 * cannot navigate the page. The frame has the page's origin, so that the page can measure and refill it: a new frame
 * costs 17 ms, a refill less than 1 ms.
 */
export function MailFrame({ html, title }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setIsReady] = useState(false);
  const { darkMail } = usePreferences();
  const fit = useCallback(() => fitFrame(frame.current), []);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(fit);
    const start = () => {
      const inside = current.contentDocument;
      // A new frame first holds the browser's empty document.
      if (inside === null || inside.querySelector('link') === null) return;
      observer.disconnect();
      observer.observe(inside.body);
      inside.addEventListener('load', fit, { capture: true });
      // Passes keys to the page, so that commands work after a click into a mail.
      inside.addEventListener('keydown', passKey);
      for (const kind of ['dragover', 'drop']) inside.addEventListener(kind, (event) => event.preventDefault());
      void import('./guard-links.ts').then(({ guardLinks }) => guardLinks(inside));
      setIsReady(true);
    };
    current.addEventListener('load', start);
    start();
    return () => {
      current.removeEventListener('load', start);
      observer.disconnect();
    };
  }, [fit]);
  useLayoutEffect(() => {
    const inside = frame.current?.contentDocument;
    if (!isReady || inside == null) return;
    inside.body.innerHTML = trustedHtml(html ?? '');
    nameWithheld(inside);
    const isPlain = html !== null && !hasColours(html);
    const paper = isPlain ? 'theme' : darkMail ? 'dark' : 'white';
    inside.documentElement.dataset.paper = paper;
    if (frame.current !== null) frame.current.dataset.paper = paper;
    if (darkMail && !isPlain) void import('./dark-mail.ts').then(({ darken }) => darken(inside));
    fitFrame(frame.current);
  }, [isReady, html, darkMail]);
  return (
    <iframe
      ref={frame}
      className={styles.frame}
      title={title}
      hidden={html === null}
      tabIndex={-1}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      srcDoc={emptyDocument}
    />
  );
}

/** Puts the words of a picture that is not loaded in its place, where browsers draw the sign of a broken picture. */
function nameWithheld(inside: Document): void {
  for (const picture of inside.body.querySelectorAll<HTMLImageElement>('img[data-src][alt]:not([alt=""])')) {
    // A picture that is hidden, or that counts readers, has no words for a reader.
    const isDot = ['width', 'height'].some((side) => Number(picture.getAttribute(side) ?? '2') <= 1);
    if (isDot || picture.style.display === 'none') continue;
    const named = inside.createElement('span');
    named.dataset.withheld = '';
    named.role = 'img';
    named.ariaLabel = picture.alt;
    named.textContent = picture.alt;
    picture.replaceWith(named);
  }
}

/** Makes the frame as high as its mail. A wider mail scrolls sideways inside the frame. */
function fitFrame(frame: HTMLIFrameElement | null): void {
  const inside = frame?.contentDocument;
  if (frame === null || inside == null || frame.hidden) return;
  const height = `${Math.ceil(inside.body.getBoundingClientRect().height) + scrollBarOf(inside)}px`;
  if (frame.style.height !== height) frame.style.height = height;
}

function scrollBarOf({ documentElement }: Document): number {
  return documentElement.scrollWidth > documentElement.clientWidth ? 16 : 0;
}

function passKey(event: KeyboardEvent): void {
  const copy = new KeyboardEvent('keydown', event);
  if (!window.dispatchEvent(copy) || copy.defaultPrevented) event.preventDefault();
}
