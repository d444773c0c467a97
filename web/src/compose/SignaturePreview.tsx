import { useQuery } from '@tanstack/react-query';
import { createElement, type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { trustedHtml } from '../lib/trusted-html.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { preferencesQuery } from '../session/preferences.ts';
import { mailboxesQuery } from '../tickets/queries.ts';
import { words } from '../words/words.ts';
import styles from './SignaturePreview.module.css';

/**
 * The signature that the service puts below an answer: the writer's signature, else the signature of the sending
 * mailbox.
 */
export function SignaturePreview({ mailboxId }: { mailboxId: string | null }) {
  const { workspace } = usePlace();
  const { signatures = [] } = useQuery(preferencesQuery).data ?? {};
  const own = signatures.find(({ workspaceId }) => workspaceId === workspace.id)?.html;
  const mailboxes = useQuery({ ...mailboxesQuery(workspace.id), enabled: mailboxId !== null }).data ?? [];
  // A disconnected mailbox is not listed: its answers leave by SMTP.
  const mailbox = mailboxes.find(({ id }) => id === mailboxId);
  const text = mailbox?.signature ?? '';
  if (own === undefined && text.trim() === '') return null;
  return (
    <section className={styles.signature} aria-label={words('compose.signature')}>
      <p className={styles.hint}>
        {words('compose.signatureAdded')} <Link href={paths.settings('profile')}>{words('compose.signatureOwn')}</Link>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a long signature */}
      <div className={styles.text} role="group" aria-label={words('compose.signature')} tabIndex={0}>
        {own === undefined ? text.trim() : <Formatted html={own} />}
      </div>
    </section>
  );
}

/** Cleaned HTML as elements of the page. Pictures are named, because the page loads none from elsewhere. */
function Formatted({ html }: { html: string }) {
  return useMemo(() => nodesOf(new DOMParser().parseFromString(trustedHtml(html), 'text/html').body), [html]);
}

const shownAsTheyAre = ['p', 'div', 'b', 'strong', 'i', 'em', 'u', 's', 'ul', 'ol', 'li', 'blockquote', 'code'];

function nodesOf(parent: Node): ReactNode[] {
  return [...parent.childNodes].map((node, key) => {
    if (!(node instanceof Element)) return node.textContent;
    const { localName } = node;
    const href = node.getAttribute('href') ?? '';
    if (localName === 'br') return createElement('br', { key });
    if (localName === 'img') return node.getAttribute('alt') || words('compose.signaturePicture');
    if (localName === 'a' && /^(?:https?|mailto|tel):/i.test(href))
      return createElement('a', { key, href, target: '_blank', rel: 'noreferrer' }, ...nodesOf(node));
    return createElement(shownAsTheyAre.includes(localName) ? localName : 'span', { key }, ...nodesOf(node));
  });
}
