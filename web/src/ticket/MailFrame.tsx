import { useEffect, useMemo, useRef, useState } from 'react';
import type { Attachment, Message } from '../api/client.ts';
import mailStyles from '../styles/mail.css?url';
import { words } from '../words/words.ts';
import styles from './MailFrame.module.css';

type Policy = { createHTML(text: string): string };
type TrustedTypes = { createPolicy(name: string, rules: Policy): Policy };

/** The one place that makes HTML of text. Browsers without Trusted Types take the text as it is. */
const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes };
const asTrusted: Policy = { createHTML: (text) => text };
const policy = trustedTypes?.createPolicy('kontor-mail', asTrusted) ?? asTrusted;

const contentSecurityPolicy =
  "default-src 'none'; img-src 'self' data:; style-src 'self'; style-src-attr 'unsafe-inline'; form-action 'none'; base-uri 'none'";

/**
 * The HTML of a mail. The service has sanitised it; the frame runs no scripts, loads nothing of other hosts and cannot leave
 * its place. It is of the page's origin so that the page can measure it.
 */
export function MailFrame({ message, title }: { message: Message; title: string }) {
  const { bodyHtml, attachments } = message;
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(40);
  const source = useMemo(() => policy.createHTML(pageOf(bodyHtml ?? '', attachments)), [bodyHtml, attachments]);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    let observer: ResizeObserver | undefined;
    const measure = () => {
      const body = current.contentDocument?.body;
      if (body === undefined) return;
      const fitFrame = () => setHeight(Math.ceil(body.getBoundingClientRect().height));
      observer?.disconnect();
      observer = new ResizeObserver(fitFrame);
      observer.observe(body);
      // Keys belong to the page, also after a click into a mail.
      current.contentDocument?.addEventListener('keydown', (event) => {
        window.dispatchEvent(new KeyboardEvent('keydown', event));
      });
      fitFrame();
    };
    current.addEventListener('load', measure);
    measure();
    return () => {
      current.removeEventListener('load', measure);
      observer?.disconnect();
    };
  }, []);
  return (
    <>
      {/\sdata-src=/.test(bodyHtml ?? '') && <p className={styles.hint}>{words('message.remote')}</p>}
      <iframe
        ref={frame}
        className={styles.frame}
        title={title}
        sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        srcDoc={source}
        style={{ height }}
      />
    </>
  );
}

function pageOf(html: string, attachments: readonly Attachment[]): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}"><base target="_blank"><link rel="stylesheet" href="${mailStyles}"><body>${withPictures(html, attachments)}`;
}

/** Inline pictures are named by `cid:` in the HTML, and shown by the signed addresses of their files. */
function withPictures(html: string, attachments: readonly Attachment[]): string {
  const addresses = new Map(attachments.map(({ contentId, url }) => [contentId, url]));
  return html.replace(/\bsrc="cid:([^"]*)"/g, (whole, contentId: string) => {
    const address = addresses.get(contentId);
    return address === undefined
      ? whole
      : `src="${new URL(address).pathname}${new URL(address).search.replaceAll('&', '&amp;')}"`;
  });
}
