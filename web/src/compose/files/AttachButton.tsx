import type { RefObject } from 'react';
import { commandProps } from '../../commands.ts';
import { fileSize } from '../../lib/file-size.ts';
import { IconButton } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';
import type { useUploads } from './use-uploads.ts';

type Props = { picker: RefObject<HTMLInputElement | null>; files: ReturnType<typeof useUploads> };

/** Picks files. The title states the largest size. */
export function AttachButton({ picker, files: { add, bytesMax } }: Props) {
  const { title, ...command } = commandProps('attach');
  const limit = Number.isFinite(bytesMax) ? words('files.limit', { max: fileSize(bytesMax) }) : '';
  return (
    <>
      <IconButton
        icon="paperclip"
        {...command}
        aria-label={words('command.attach')}
        title={`${title} · ${limit}`}
        onClick={() => picker.current?.click()}
      />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          add([...(target.files ?? [])], false);
          target.value = '';
        }}
      />
    </>
  );
}
