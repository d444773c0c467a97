import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, inWorkspace, type Message } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import styles from './OriginalDialog.module.css';

/** The original mail, to read and to save. */
export function OriginalDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const { workspace } = usePlace();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const { data, error } = useQuery({
    queryKey: ['workspace', workspace.id, 'raw', message.id],
    queryFn: () =>
      inWorkspace(workspace.id).GET('/messages/{messageId}/raw', { path: { messageId: message.id }, parseAs: 'blob' }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const text = useTextOf(data as unknown as Blob | undefined);
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby="original-title" onClose={onClose}>
      <h2 id="original-title">{words('message.originalTitle')}</h2>
      {isMissing ? <p>{words('message.originalMissing')}</p> : error !== null && <Fault error={error} />}
      {text !== undefined && (
        <textarea readOnly className={styles.text} aria-labelledby="original-title" value={text} />
      )}
      <footer>
        {data !== undefined && (
          <Button onClick={() => save(data as unknown as Blob, `${message.id}.eml`)}>
            {words('message.originalSave')}
          </Button>
        )}
        <Button onClick={() => dialog.current?.close()}>{words('files.close')}</Button>
      </footer>
    </dialog>
  );
}

/** The dialog shows only the beginning of a larger mail. Saving it gives all bytes. */
const shownBytesMax = 500_000;

function useTextOf(blob: Blob | undefined): string | undefined {
  const [text, setText] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    void blob
      ?.slice(0, shownBytesMax)
      .text()
      .then((read) => isWanted && setText(read));
    return () => {
      isWanted = false;
    };
  }, [blob]);
  return text;
}

function save(blob: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
