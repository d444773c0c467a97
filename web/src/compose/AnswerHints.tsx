import { personOf } from '../tickets/persons.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import { colleagueAmong, othersToOffer } from './recipients/recipients-of.ts';
import type { Composing } from './use-composer.ts';

type Member = { email: string; name: string | null };
type Props = { composing: Composing; members: readonly Member[] };

/** Hints for the writer of an answer about its recipients and about the mail that it forwards. */
export function AnswerHints({ composing, members }: Props) {
  return (
    <>
      <ForwardHint composing={composing} />
      <ColleagueHint composing={composing} members={members} />
      <OthersHint composing={composing} />
    </>
  );
}

/** Suggests a note where an answer would go to a colleague: the customer would read it too. */
function ColleagueHint({ composing, members }: Props) {
  const colleague = colleagueAmong(composing.recipients, members);
  if (colleague === undefined) return null;
  return (
    <p className={styles.hint} role="status">
      {words('compose.colleague', { name: colleague.name ?? colleague.email })}
      <Button onClick={composing.switchMode}>{words('compose.noteInstead')}</Button>
    </p>
  );
}

/** Offers the people whom the mail names, if nothing proves that its sender did. */
function OthersHint({ composing: { content, ticket, recipients, chooseRecipients } }: { composing: Composing }) {
  const others = othersToOffer(ticket.replyOffers, recipients);
  if (others.length === 0 || content.forwardOf !== null) return null;
  return (
    <p className={styles.hint} role="status">
      {words('compose.others', { people: others.join(', ') })}
      <Button onClick={() => chooseRecipients({ ...recipients, cc: [...recipients.cc, ...others] })}>
        {words('compose.addOthers')}
      </Button>
    </p>
  );
}

/** Names the message to forward and its number of files, with a button that cancels forwarding. */
function ForwardHint({ composing: { content, ticket, forwardNothing } }: { composing: Composing }) {
  const message = ticket.messages.find(({ id }) => id === content.forwardOf);
  if (message === undefined) return null;
  const { length: count } = message.attachments;
  return (
    <p className={styles.hint} role="status">
      {words(count === 0 ? 'compose.forwards' : 'compose.forwardsFiles', { person: personOf(message), count })}
      <Button onClick={forwardNothing}>{words('compose.forwardNothing')}</Button>
    </p>
  );
}
