import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { Attachment } from '../../api/client.ts';
import { fileSize } from '../../lib/file-size.ts';
import { randomId } from '../../lib/random-id.ts';
import { configQuery } from '../../session/queries.ts';
import { faultWords } from '../../ui/fault-words.ts';
import { words } from '../../words/words.ts';
import { upload } from './upload.ts';

/** A file on its way to the service. */
export type Uploading = {
  key: string;
  file: File;
  /** The uploaded share, from 0 to 1. */
  share: number;
  /** Why the upload failed; null while it runs. */
  fault: string | null;
  canRetry: boolean;
  cancel: () => void;
};

/** Keeps the list of files, such as a `DraftKeeper`. */
type FileKeeper = {
  read: () => { content: { files: Attachment[] } };
  change: (changed: { files: Attachment[] }) => void;
};
type Options = {
  keeper: FileKeeper;
  /** Runs for each picture of the text. @param uploaded undefined if the upload failed */
  onPicture: (file: File, uploaded: Attachment | undefined) => void;
};

/** The uploads of a draft or a saved reply. */
export function useUploads(workspaceId: string, { keeper, onPicture }: Options) {
  const [uploads, setUploads] = useState<Uploading[]>([]);
  const bytesMax = useQuery(configQuery).data?.attachmentBytesMax ?? Number.POSITIVE_INFINITY;
  const patch = (key: string, changed: Partial<Uploading>) =>
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...changed } : one)));
  const drop = (key: string) => setUploads((all) => all.filter((one) => one.key !== key));

  const start = (file: File, key: string, inText: boolean) => {
    const { done, cancel } = upload(workspaceId, file, key, (share) => patch(key, { share }));
    const started = { key, file, share: 0, fault: null, canRetry: true, cancel };
    setUploads((all) => [...all.filter((one) => one.key !== key), started]);
    done.then(
      (attachment) => {
        // The editor looks a picture up in the draft's files, so the file must be there before the picture.
        flushSync(() => {
          drop(key);
          keeper.change({ files: [...keeper.read().content.files, attachment] });
        });
        if (inText) onPicture(file, attachment);
      },
      (error: unknown) => {
        if (inText) onPicture(file, undefined);
        if (error instanceof DOMException) drop(key);
        else patch(key, { fault: faultWords(error) });
      },
    );
  };

  /** @param inText whether to insert pictures at the cursor */
  const add = (files: readonly File[], inText: boolean) => {
    for (const file of files) {
      const key = randomId();
      if (file.size > bytesMax) {
        if (inText) onPicture(file, undefined);
        const fault = words('files.tooLarge', { size: fileSize(file.size), max: fileSize(bytesMax) });
        setUploads((all) => [...all, { key, file, share: 0, fault, canRetry: false, cancel: () => drop(key) }]);
      } else start(file, key, inText && /^image\/(?:png|jpeg|gif|webp)$/.test(file.type));
    }
  };
  const retry = ({ key, file }: Uploading) => start(file, key, false);
  return { uploads, add, retry, drop, bytesMax };
}
