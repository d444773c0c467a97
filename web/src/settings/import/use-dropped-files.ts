import { useEffect, useState } from 'react';

export type DroppedFiles = ReturnType<typeof useDroppedFiles>;

/**
 * Gathers the files that are dropped anywhere on the page, or chosen. Without this, the browser would leave the page
 * and show a dropped file.
 */
export function useDroppedFiles() {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [hasFolder, setHasFolder] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const add = (more: readonly File[]) => setFiles((before) => [...before, ...more]);
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setIsOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (event.dataTransfer === null || event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      setIsOver(false);
      const folders = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()?.isDirectory === true);
      setHasFolder(folders.includes(true));
      const dropped = [...event.dataTransfer.files].filter((_, at) => folders[at] !== true);
      setFiles((before) => [...before, ...dropped]);
    };
    window.addEventListener('dragover', onOver);
    window.addEventListener('dragleave', onLeave);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('drop', onDrop);
    };
  }, []);
  const clear = () => {
    setFiles([]);
    setHasFolder(false);
  };
  return { files, hasFolder, isOver, add, clear };
}
