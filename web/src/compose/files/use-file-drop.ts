import { useEffect, useLayoutEffect, useRef, useState } from 'react';

/**
 * Takes files that are dropped anywhere on the page; the browser itself would open them in the page's place.
 * @returns whether files are over the page now
 */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(onFiles);
  useLayoutEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    const end = () => {
      setIsOver(false);
      delete document.documentElement.dataset.dropping;
    };
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setIsOver(true);
      // Frames would take the files for themselves.
      document.documentElement.dataset.dropping = '';
    };
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && end();
    const drop = (event: DragEvent) => {
      end();
      const files = [...(event.dataTransfer?.files ?? [])];
      // The editor takes files that fall into the text.
      if (event.defaultPrevented || files.length === 0) return;
      event.preventDefault();
      latest.current(files);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      end();
      document.removeEventListener('dragover', over);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}
