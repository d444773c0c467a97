import type { Editor } from '@tiptap/core';
import { randomId } from '../../lib/random-id.ts';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { pastedPrefix } from './mail-doc.ts';

/** More are hardly meant: pages have hundreds of icons. */
const picturesMax = 20;

type Waiting = { source: string; read: () => Promise<File> };
type Options = {
  isOwn: (contentId: string) => boolean;
  /** Uploads a file. Undefined where a text holds no files. */
  upload: ((file: File) => void) | undefined;
};

/** The pictures in pasted HTML. Each keeps its place in the text while its file is on its way to the service. */
export class PastedPictures {
  readonly #options: () => Options;
  /** By the id that stands in the text. */
  readonly #sources = new Map<string, string>();
  readonly #ids = new Map<File, string>();
  #found = new Map<string, Waiting>();
  #leftOut = 0;

  constructor(options: () => Options) {
    this.#options = options;
  }

  /** Begins to look at a new piece of HTML. */
  begin(): void {
    this.#found = new Map();
    this.#leftOut = 0;
  }

  take(picture: HTMLImageElement): void {
    const { isOwn, upload } = this.#options();
    if (isOwn(picture.dataset.contentId ?? '')) return;
    const source = picture.getAttribute('src') ?? '';
    const read = this.#found.size < picturesMax && upload !== undefined ? readerOf(source) : undefined;
    if (read !== undefined) {
      const id = pastedPrefix + randomId();
      this.#found.set(id, { source, read });
      picture.dataset.contentId = id;
      picture.removeAttribute('src');
    } else if (isEmoji(picture.alt)) picture.replaceWith(picture.alt);
    else {
      if (!isTiny(picture)) this.#leftOut++;
      picture.remove();
    }
  }

  /** Uploads the pictures of the HTML that has just been pasted, and names those that cannot come along. */
  start(editor: Editor): void {
    if (this.#leftOut > 0) showToast(words('files.picturesLeft', { count: this.#leftOut }), { isBad: true });
    for (const [id, { source, read }] of this.#found) {
      this.#sources.set(id, source);
      read().then(
        (file) => {
          this.#ids.set(file, id);
          this.#options().upload?.(file);
        },
        () => {
          this.#put(editor, id);
          showToast(words('files.picturesLeft', { count: 1 }), { isBad: true });
        },
      );
    }
    this.begin();
  }

  /** The address of a picture on its way. */
  sourceOf(id: string): string | undefined {
    return this.#sources.get(id);
  }

  /**
   * Gives a picture its content id, or takes it out of the text if its file does not come.
   * @returns whether the file is of a pasted picture
   */
  settle(editor: Editor, file: File, contentId: string | undefined): boolean {
    const id = this.#ids.get(file);
    if (id === undefined) return false;
    this.#ids.delete(file);
    this.#put(editor, id, contentId, file.name);
    return true;
  }

  #put(editor: Editor, id: string, contentId?: string, name = ''): void {
    const { doc, tr } = editor.state;
    doc.descendants((node, at) => {
      if (node.attrs.contentId !== id) return;
      const from = tr.mapping.map(at);
      if (contentId === undefined) tr.delete(from, from + node.nodeSize);
      else tr.setNodeMarkup(from, undefined, { contentId, alt: node.attrs.alt || name });
    });
    if (tr.docChanged) editor.view.dispatch(tr.setMeta('addToHistory', false));
  }
}

/** Reads a picture of the clipboard itself, or of this service. Other addresses are out of reach. */
function readerOf(source: string): (() => Promise<File>) | undefined {
  const [, type, base64] = /^data:image\/(png|jpeg|gif|webp);base64,([a-z0-9+/=\s]*)$/i.exec(source) ?? [];
  if (type !== undefined && base64 !== undefined)
    return async () => {
      const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
      return fileOf(new Blob([bytes], { type: `image/${type.toLowerCase()}` }));
    };
  const address = URL.parse(source);
  const isHere = address?.origin === window.location.origin;
  if (address === null || !isHere) return undefined;
  return async () => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`The picture answers ${response.status}.`);
    return fileOf(await response.blob());
  };
}

function fileOf(blob: Blob): File {
  const [, ending] = /^image\/(png|jpeg|gif|webp)$/.exec(blob.type) ?? [];
  if (ending === undefined) throw new Error(`${blob.type} is no picture that a mail can show.`);
  return new File([blob], `picture.${ending}`, { type: blob.type });
}

const isEmoji = (alt: string) =>
  alt.length <= 16 && /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f)+$/u.test(alt);

/** Such pictures are invisible: they count readers. */
const isTiny = ({ width, height }: HTMLImageElement) => [width, height].every((size) => size > 0 && size <= 2);
