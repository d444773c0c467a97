import type { Attachment } from '../../api/client.ts';
import { fileSize } from '../../lib/file-size.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { FileLabel } from '../../ui/FileLabel.tsx';
import { words } from '../../words/words.ts';
import type { Uploading } from '../files/use-uploads.ts';
import styles from './DraftFiles.module.css';

type Props = {
  files: readonly Attachment[];
  /** The text's HTML. Pictures inside it are not listed. */
  bodyHtml: string | null;
  uploads: readonly Uploading[];
  onRemove: (file: Attachment) => void;
  onRetry: (uploading: Uploading) => void;
  onDrop: (key: string) => void;
};

/** The files of a draft, and files that are being uploaded. */
export function DraftFiles({ files, bodyHtml, uploads, onRemove, onRetry, onDrop }: Props) {
  const listed = files.filter(({ contentId }) => contentId === null || !bodyHtml?.includes(`"cid:${contentId}"`));
  if (listed.length === 0 && uploads.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={words('message.files')}>
      {listed.map((file) => (
        <li key={file.id}>
          <FileLabel name={file.fileName} kind="other">
            <small>{fileSize(file.size)}</small>
          </FileLabel>
          <IconButton
            icon="close"
            aria-label={words('compose.remove', { name: file.fileName })}
            onClick={() => onRemove(file)}
          />
        </li>
      ))}
      {uploads.map((uploading) => (
        <UploadingFile key={uploading.key} uploading={uploading} onRetry={onRetry} onDrop={onDrop} />
      ))}
    </ul>
  );
}

type UploadingProps = Pick<Props, 'onRetry' | 'onDrop'> & { uploading: Uploading };

function UploadingFile({ uploading, onRetry, onDrop }: UploadingProps) {
  const { key, file, share, fault, canRetry, cancel } = uploading;
  return (
    <li data-bad={fault !== null}>
      <FileLabel name={file.name} kind="other">
        {fault === null ? (
          <progress value={share} aria-label={words('files.uploading', { name: file.name })} />
        ) : (
          <span role="alert">{fault}</span>
        )}
      </FileLabel>
      {fault !== null && canRetry && (
        <Button look="quiet" size="tool" onClick={() => onRetry(uploading)}>
          {words('error.retry')}
        </Button>
      )}
      <IconButton
        icon="close"
        aria-label={words(fault === null ? 'files.cancel' : 'compose.remove', { name: file.name })}
        onClick={() => (fault === null ? cancel() : onDrop(key))}
      />
    </li>
  );
}
