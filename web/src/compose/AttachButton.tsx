import type { RefObject } from 'react';
import { commandProps } from '../commands.ts';
import { fileSize } from '../lib/file-size.ts';
import { words } from '../words/words.ts';
import type { useUploads } from './use-uploads.ts';

type Props = { picker: RefObject<HTMLInputElement | null>; files: ReturnType<typeof useUploads> };

/** Picks files; how large they may be is said before. */
export function AttachButton({ picker, files: { add, bytesMax } }: Props) {
  const { title, ...command } = commandProps('attach');
  const limit = Number.isFinite(bytesMax) ? words('files.limit', { max: fileSize(bytesMax) }) : '';
  return (
    <>
      <button
        type="button"
        {...command}
        aria-label={words('command.attach')}
        title={`${title} · ${limit}`}
        onClick={() => picker.current?.click()}
      >
        <svg
          viewBox="0 0 16 16"
          width="16"
          height="16"
          aria-hidden="true"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
        >
          <path d="M12.5 7.5l-4.700 4.700a3 3 0 01-4.300-4.300l5.200-5.100a2 2 0 012.900 2.900l-5.100 5a1 1 0 01-1.500-1.400l4.300-4.300" />
        </svg>
      </button>
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
