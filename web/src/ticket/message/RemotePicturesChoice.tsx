import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import styles from '../ContactPanel.module.css';
import { setRemotePictures } from './remote-pictures.ts';

type Props = {
  contactId: string;
  isAlways: boolean;
  /** Whether to focus the choice, after its command. */
  isWanted: boolean;
};

/** Chooses whether pictures in a contact's mails are shown without asking. */
export function RemotePicturesChoice({ contactId, isAlways, isWanted }: Props) {
  const { workspace } = usePlace();
  const set = useMutation({
    mutationFn: (mode: 'always' | 'ask') => setRemotePictures(workspace.id, contactId, mode),
  });
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isWanted) box.current?.focus();
  }, [isWanted]);
  const isChecked = set.isPending ? set.variables === 'always' : isAlways;
  return (
    <>
      <label className={styles.pictures}>
        <input
          ref={box}
          type="checkbox"
          checked={isChecked}
          disabled={workspace.role === 'viewer'}
          onChange={() => set.mutate(isChecked ? 'ask' : 'always')}
        />
        {words('contact.pictures')}
      </label>
      {set.error !== null && <Fault error={set.error} />}
    </>
  );
}
