import { useState } from 'react';
import type { Attachment } from '../../api/client.ts';
import { fileSize } from '../../lib/file-size.ts';
import { ownAddress } from '../../tickets/mail-html.ts';
import { FileLabel } from '../../ui/FileLabel.tsx';
import { later } from '../../ui/later.tsx';
import { words } from '../../words/words.ts';
import styles from './Files.module.css';

const Gallery = later(() => import('./Gallery.tsx'), 'Gallery');

/** Image types that a browser draws without running code, unlike SVG. */
const drawable = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** The attachments of a message: pictures to view, and all files to download. */
export function Files({ attachments }: { attachments: readonly Attachment[] }) {
  const [shown, setShown] = useState<number>();
  const listed = attachments.filter(({ isInline }) => !isInline);
  if (listed.length === 0) return null;
  const pictures = listed.filter(({ contentType }) => drawable.test(contentType));
  return (
    <>
      <ul className={styles.files} aria-label={words('message.files')}>
        {listed.map((file) => (
          <li key={file.id}>
            {pictures.includes(file) && (
              <button
                type="button"
                className={styles.picture}
                aria-label={words('files.view', { name: file.fileName })}
                onClick={() => setShown(pictures.indexOf(file))}
              >
                <img src={ownAddress(file.url)} alt="" loading="lazy" />
              </button>
            )}
            <a
              href={ownAddress(file.url)}
              download={file.fileName}
              aria-label={words('files.download', { name: file.fileName })}
              title={file.fileName}
            >
              <FileLabel name={file.fileName} kind={pictures.includes(file) ? undefined : kindOf(file)}>
                <small>{fileSize(file.size)}</small>
              </FileLabel>
            </a>
          </li>
        ))}
      </ul>
      {shown !== undefined && <Gallery pictures={pictures} first={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function kindOf({ contentType, fileName }: Attachment) {
  if (contentType.startsWith('image/')) return 'picture';
  if (contentType === 'application/pdf') return 'pdf';
  return /\.(csv|ods|xlsx?)$/i.test(fileName) ? 'table' : 'other';
}
