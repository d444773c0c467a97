/** Decides which files of a message are pictures inside its text. All other files are listed below it. */
import { unescapeHtml } from '@kontor/mail/html/html-text.ts';

/** Image types that browsers draw. They draw no HEIC and no TIFF, and a PDF not as a picture. */
const drawnTypes: readonly string[] = [
  ...['apng', 'avif', 'bmp', 'gif', 'jpeg', 'jpg', 'pjpeg', 'png', 'svg+xml', 'webp', 'x-icon', 'x-ms-bmp', 'x-png'],
].map((subtype) => `image/${subtype}`);

type Picture = { contentType: string; contentId: string | null };

/**
 * The files that the HTML shows in `<img src="cid:…">` (RFC 2392). Of files with the same Content-ID, only the last.
 * @param html as `sanitizeHtml` returns it, so what it drops shows no file
 */
export function inlinePictures<File extends Picture>(files: readonly File[], html: string | null): Set<File> {
  if (html === null || files.every(({ contentId }) => contentId === null)) return new Set();
  const shown = shownContentIds(html);
  const byId = new Map<string, File>();
  for (const file of files)
    if (file.contentId !== null && shown.has(file.contentId) && drawnTypes.includes(file.contentType))
      byId.set(file.contentId, file);
  return new Set(byId.values());
}

/** The Content-IDs of the pictures in sanitised HTML, both as written and percent-decoded. */
export function shownContentIds(html: string): Set<string> {
  const shown = new Set<string>();
  for (const [, escaped = ''] of html.matchAll(/<img [^<>]*?\bsrc="cid:([^"]{1,998})"/gi)) {
    const written = unescapeHtml(escaped);
    shown.add(written);
    shown.add(percentDecoded(written));
  }
  return shown;
}

type NamedPicture = Picture & { fileName: string | null; location: string | null };

/**
 * Gives pictures without a Content-ID one, and says by which other addresses HTML may name each picture: its
 * Content-Location, its file name, or its Content-ID without `cid:`.
 */
export function nameablePictures<File extends NamedPicture>(
  files: readonly File[],
): { files: File[]; contentIds: Map<string, string> } {
  const contentIds = new Map<string, string>();
  const named = files.map((file) => {
    if (!drawnTypes.includes(file.contentType)) return file;
    const contentId = file.contentId ?? file.location ?? file.fileName;
    if (contentId === null) return file;
    for (const address of [file.contentId, file.location, file.fileName])
      if (address !== null && !contentIds.has(address)) contentIds.set(address, contentId);
    return { ...file, contentId };
  });
  return { files: named, contentIds };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
