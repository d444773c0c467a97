import { useState } from 'react';
import { inWorkspace, type Message } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { remotePicturesIn } from '../../tickets/mail-html.ts';
import { personOf } from '../../tickets/persons.ts';
import { Button } from '../../ui/Button.tsx';
import { faultWords } from '../../ui/fault-words.ts';
import { Icon } from '../../ui/Icon.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import styles from '../Warnings.module.css';
import { readTicketsAnew, setRemotePictures } from './remote-pictures.ts';

type Props = {
  message: Message;
  /** The shown HTML, in which blocked pictures still have `data-src`. */
  html: string;
  isShown: boolean;
  onShow: () => void;
};

/** Says which pictures a mail would load from other servers, and shows them once or always. */
export function RemotePicturesBar({ message, html, isShown, onShow }: Props) {
  const { workspace } = usePlace();
  const [isBusy, setIsBusy] = useState(false);
  const { count, hosts } = remotePicturesIn(html);
  if (count === 0) return null;
  const [first = ''] = hosts;
  const named = hosts.length === 1 ? first : words('message.remoteMore', { first, count: hosts.length - 1 });
  const { type, email } = message.author;
  const show = () => {
    onShow();
    if (message.remoteImages.some(({ url }) => isExpired(url))) void readTicketsAnew(workspace.id);
    // The focused button disappears with the bar, so the focus moves to the message.
    document.getElementById(`message-${message.id}`)?.focus({ preventScroll: true });
  };
  const showAlways = async (address: string) => {
    setIsBusy(true);
    try {
      await setRemotePictures(workspace.id, await contactIdOf(workspace.id, address), 'always');
      show();
      showToast(words('message.remoteAlwaysDone', { person: personOf(message) }));
    } catch (error) {
      showToast(faultWords(error), { isBad: true });
    }
    setIsBusy(false);
  };
  return (
    <div className={styles.plain}>
      <Icon name="imageOff" />
      <p>{words('message.remote', { count, hosts: named })}</p>
      {!isShown && type === 'customer' && email !== null && workspace.role !== 'viewer' && (
        <Button look="quiet" size="tool" disabled={isBusy} onClick={() => void showAlways(email)}>
          {words('message.remoteAlways')}
        </Button>
      )}
      {!isShown && (
        <Button size="tool" onClick={show}>
          {words('message.remoteShow')}
        </Button>
      )}
    </div>
  );
}

/** A signature is valid for at most 20 minutes, and a ticket may be open for longer. */
function isExpired(url: string): boolean {
  return Number(new URL(url).searchParams.get('expires')) * 1_000 <= Date.now();
}

async function contactIdOf(workspaceId: string, email: string): Promise<string> {
  const found = await inWorkspace(workspaceId).GET('/contacts', { query: { search: email, limit: foundMax } });
  const contact = found.find(({ emails }) => emails.some((known) => known.toLowerCase() === email.toLowerCase()));
  if (contact === undefined) throw new Error(words('message.remoteNobody', { email }));
  return contact.id;
}

const foundMax = 20;
