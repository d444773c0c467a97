import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import { setRemotePictures } from '../message/remote-pictures.ts';
import styles from './Rail.module.css';

type Props = {
  contactId: string;
  isAlways: boolean;
  /** Whether to focus the choice, after its command. */
  isWanted?: boolean;
  onFocused?: () => void;
};

/** Chooses whether pictures in a contact's mails are shown without asking. */
export function RemotePicturesChoice({ contactId, isAlways, isWanted = false, onFocused }: Props) {
  const { workspace } = usePlace();
  const set = useMutation({
    mutationFn: (mode: 'always' | 'ask') => setRemotePictures(workspace.id, contactId, mode),
  });
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    box.current?.focus();
    onFocused?.();
  });
  const isChecked = set.isPending ? set.variables === 'always' : isAlways;
  return (
    <>
      <div className={styles.choice}>
        <Checkbox
          ref={box}
          checked={isChecked}
          disabled={workspace.role === 'viewer'}
          onChange={() => set.mutate(isChecked ? 'ask' : 'always')}
        >
          {words('contact.pictures')}
        </Checkbox>
      </div>
      {set.error !== null && <Fault error={set.error} />}
    </>
  );
}
