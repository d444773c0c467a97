import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { itemsOf } from '../../api/items.ts';
import { paths } from '../../paths.ts';
import { type ListedReply, savedReplyPages } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import { BackLink } from '../BackLink.tsx';
import { HeadAction } from '../HeadAction.tsx';
import { Section } from '../Section.tsx';
import { ReplyPage } from './ReplyPage.tsx';

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
      <BackLink href={list}>{words('savedReplies.back')}</BackLink>
      <ReplyPage key={replyId} replyId={replyId} onDone={() => navigate(list, { replace: true })} />
    </>
  );
}

/** @param isBack whether a reply was open before, so that the focus needs a new place */
function Replies({ isBack }: { isBack: boolean }) {
  const { workspace } = usePlace();
  const [search, setSearch] = useState('');
  const source = useInfiniteQuery({ ...savedReplyPages(workspace.id, search), select: itemsOf });
  const none = search.trim() === '' ? 'savedReplies.none' : 'savedReplies.noMatch';
  const isWriter = workspace.role !== 'viewer';
  return (
    <>
      {isWriter && (
        <HeadAction>
          <Link href={`${list}?reply=new`} className={buttonClass('primary')}>
            <Icon name="plus" />
            {words('savedReplies.new')}
          </Link>
        </HeadAction>
      )}
      <Section title={words('savedReplies.list')}>
        <Field
          label={words('savedReplies.search')}
          type="search"
          autoFocus={isBack}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <PagedList
          label={words('savedReplies.list')}
          source={source}
          none={words(none)}
          more={words('savedReplies.more')}
        >
          {(reply) => <ReplyLine key={reply.id} reply={reply} isWriter={isWriter} />}
        </PagedList>
      </Section>
    </>
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
      <span dir="auto">
        {isWriter ? <Link href={`${list}?reply=${id}`}>{name}</Link> : <b>{name}</b>}{' '}
        {shortcut !== null && <code>;;{shortcut}</code>}
        <br />
        <small dir="auto">{snippet}</small>
      </span>
      <small>{facts.join(' · ')}</small>
    </li>
  );
}
