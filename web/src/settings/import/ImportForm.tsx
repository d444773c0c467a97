import { type FormEvent, useRef, useState, useSyncExternalStore } from 'react';
import { ApiError } from '../../api/client.ts';
import { warnBeforeLeaving } from '../../compose/leaving.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import styles from './Import.module.css';
import { type Choice, ImportChoices } from './ImportChoices.tsx';
import { refreshImports, startImport } from './imports.ts';
import { type DroppedFiles, useDroppedFiles } from './use-dropped-files.ts';

type Upload = { sending: { share: number; cancel: () => void } } | { fault: Error };

/** The last upload of each person and workspace. It goes on, and may fail, while the person looks at other pages. */
const uploads = new Map<string, Upload>();
const listeners = new Set<() => void>();

function setUpload(key: string, upload: Upload | undefined): void {
  if (upload === undefined) uploads.delete(key);
  else uploads.set(key, upload);
  for (const listener of listeners) listener();
}

function useUpload(key: string) {
  const upload = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads.get(key),
  );
  if (upload === undefined) return {};
  return 'fault' in upload ? { fault: upload.fault } : { sending: upload.sending };
}

/** Takes files by drop or choice, then asks what to make of their mails, and uploads them. */
export function ImportForm({ isBusy }: { isBusy: boolean }) {
  const { workspace, userId } = usePlace();
  const key = `${userId} ${workspace.id}`;
  const dropped = useDroppedFiles();
  const { files, clear } = dropped;
  const [choice, setChoice] = useState<Choice>({ status: 'closed', own: '' });
  const { sending, fault } = useUpload(key);
  const state = useRef<HTMLParagraphElement>(null);

  const start = async (event: FormEvent) => {
    event.preventDefault();
    let isOver = false;
    const { done, cancel } = startImport(workspace.id, {
      ...{ files, ...choice },
      onProgress: (share) => !isOver && setUpload(key, { sending: { share, cancel } }),
    });
    setUpload(key, { sending: { share: 0, cancel } });
    // The button that had the focus goes.
    state.current?.focus();
    let failed: Upload | undefined;
    try {
      await warnBeforeLeaving(done);
      clear();
    } catch (error) {
      const isCancelled = error instanceof DOMException;
      if (!isCancelled) failed = { fault: error instanceof ApiError ? error : new TypeError('network') };
    }
    isOver = true;
    await refreshImports(workspace.id);
    setUpload(key, failed);
    state.current?.focus();
  };

  return (
    <form className={styles.form} onSubmit={(event) => void start(event)}>
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
