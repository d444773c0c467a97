import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import styles from './Import.module.css';
import { type Choice, ImportChoices } from './ImportChoices.tsx';
import { refreshImports, startImport } from './imports.ts';
import { type DroppedFiles, useDroppedFiles } from './use-dropped-files.ts';

type Sending = { share: number; cancel: () => void };

/** Takes files by drop or choice, then asks what to make of their mails, and uploads them. */
export function ImportForm({ isBusy }: { isBusy: boolean }) {
  const { workspace } = usePlace();
  const dropped = useDroppedFiles();
  const { files, clear } = dropped;
  const [choice, setChoice] = useState<Choice>({ status: 'closed', own: '' });
  const [sending, setSending] = useState<Sending>();
  const [fault, setFault] = useState<Error>();
  const state = useRef<HTMLParagraphElement>(null);
  useLeaveWarning(sending !== undefined);

  const start = async (event: FormEvent) => {
    event.preventDefault();
    setFault(undefined);
    const onProgress = (share: number) => setSending((now) => now && { ...now, share });
    const { done, cancel } = startImport(workspace.id, { files, ...choice, onProgress });
    setSending({ share: 0, cancel });
    // The button that had the focus goes.
    state.current?.focus();
    try {
      await done;
      clear();
    } catch (error) {
      const isCancelled = error instanceof DOMException;
      if (!isCancelled) setFault(error instanceof ApiError ? error : new TypeError('network'));
    }
    await refreshImports(workspace.id);
    setSending(undefined);
    state.current?.focus();
  };

  return (
    <form data-wide className={styles.form} onSubmit={(event) => void start(event)}>
      <p ref={state} tabIndex={-1} role="status" className={styles.state}>
        {sending !== undefined && words('import.uploading', { percent: Math.floor(sending.share * 100) })}
        {sending === undefined && isBusy && words('import.busy')}
      </p>
      {sending !== undefined && (
        <>
          <progress value={sending.share} aria-label={words('import.upload')} />
          <Button onClick={sending.cancel}>{words('import.cancel')}</Button>
        </>
      )}
      {sending === undefined && !isBusy && (
        <>
          <DropPlace dropped={dropped} />
          {files.length > 0 && <ImportChoices files={files} choice={choice} onChange={setChoice} onClear={clear} />}
        </>
      )}
      {fault !== undefined && <Fault error={fault} />}
    </form>
  );
}

function DropPlace({ dropped: { hasFolder, isOver, add } }: { dropped: DroppedFiles }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <div className={styles.drop} data-over={isOver}>
        <p>{words('import.drop')}</p>
        <Button onClick={() => input.current?.click()}>{words('import.choose')}</Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          onChange={({ target }) => {
            add([...(target.files ?? [])]);
            target.value = '';
          }}
        />
      </div>
      {hasFolder && <p role="alert">{words('import.folder')}</p>}
    </>
  );
}

/** Asks before the page is left, which would end the upload. */
function useLeaveWarning(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isOn]);
}
