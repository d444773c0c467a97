import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { paths } from '../../paths.ts';
import { type ListedReply, savedReplyPages } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { ReplyPage } from './ReplyPage.tsx';
import styles from './replies.module.css';

const list = paths.settings('replies');

/** The saved replies that the person sees. The address names the open reply. */
export function ReplySettings() {
  const [, navigate] = useLocation();
  const { role } = usePlace().workspace;
  const replyId = new URLSearchParams(useSearch()).get('reply');
  const wasOpen = useRef(false);
  useEffect(() => {
    wasOpen.current = replyId !== null;
  }, [replyId]);
  if (replyId === null || role === 'viewer') return <Replies isBack={wasOpen.current} />;
  return (
    <>
      <p>
        <Link href={list}>{words('savedReplies.back')}</Link>
      </p>
      <ReplyPage key={replyId} replyId={replyId} onDone={() => navigate(list, { replace: true })} />
    </>
  );
}

/** @param isBack whether a reply was open before, so that the focus needs a new place */
function Replies({ isBack }: { isBack: boolean }) {
  const { workspace } = usePlace();
  const [search, setSearch] = useState('');
  const pages = useInfiniteQuery(savedReplyPages(workspace.id, search));
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = pages;
  const replies = data?.pages.flatMap(({ items }) => items) ?? [];
  const none = search.trim() === '' ? 'savedReplies.none' : 'savedReplies.noMatch';
  return (
    <Section title={words('savedReplies.list')} hint={words('savedReplies.hint')}>
      {workspace.role !== 'viewer' && (
        <Link href={`${list}?reply=new`} className={styles.new}>
          {words('savedReplies.new')}
        </Link>
      )}
      <Field
        label={words('savedReplies.search')}
        type="search"
        autoFocus={isBack}
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      {replies.length === 0 && error === null && <p role="status">{words(isPending ? 'loading' : none)}</p>}
      <ul>
        {replies.map((reply) => (
          <ReplyLine key={reply.id} reply={reply} isWriter={workspace.role !== 'viewer'} />
        ))}
      </ul>
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words('savedReplies.more')}
        </Button>
      )}
    </Section>
  );
}

function ReplyLine({ reply, isWriter }: { reply: ListedReply; isWriter: boolean }) {
  const { id, name, shortcut, snippet, isShared, actions, attachmentCount, useCount } = reply;
  const facts = [
    words(isShared ? 'savedReplies.shared' : 'savedReplies.own'),
    ...(Object.keys(actions).length > 0 ? [words('savedReplies.withActions')] : []),
    ...(attachmentCount > 0 ? [words('savedReplies.withFiles', { count: attachmentCount })] : []),
    ...(useCount > 0 ? [words('savedReplies.uses', { count: useCount })] : []),
  ];
  return (
    <li>
      <span>
        {isWriter ? <Link href={`${list}?reply=${id}`}>{name}</Link> : <b>{name}</b>}{' '}
        {shortcut !== null && <code>;;{shortcut}</code>}
        <br />
        <small className={styles.snippet}>{snippet}</small>
      </span>
      <small className={styles.facts}>{facts.join(' · ')}</small>
    </li>
  );
}
