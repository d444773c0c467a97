import {
  type ComponentProps,
  type ComponentType,
  lazy,
  Suspense,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { sayMissing } from '../ui/missing.ts';
import { loadWords } from '../words/words.ts';
import styles from './Composer.module.css';
import type { Handover, WritingBoxProps } from './editor/writing-box-props.ts';

let loaded: ComponentType<Props> | undefined;

const LaterRichText = lazy(async () => {
  const isComposed = compositionEnd();
  await loadEditor().catch(() => undefined);
  await isComposed();
  // Without the editor's chunk, a plain text area stays.
  return { default: loaded ?? MissingEditor };
});

async function loadEditor(): Promise<void> {
  const [{ RichText }] = await Promise.all([import('./editor/RichText.tsx'), loadWords('later')]);
  loaded = RichText;
}

/** Fetches the editor, so that it stands there at once when the person writes. */
export function preloadEditor(): void {
  // Without a network it would spoil the chunk.
  if (navigator.onLine) loadEditor().catch(() => undefined);
}

/**
 * The editor, in a chunk of its own. Until it has loaded, a text area takes the keys and then hands text and focus
 * over.
 */
export function WritingBox(props: WritingBoxProps) {
  const handover = useRef<Handover>({ isFocused: false, offset: 0 });
  // State keeps the same editor until the unmount: swapping it would lose the cursor.
  const [RichText] = useState<ComponentType<Props>>(() => loaded ?? LaterRichText);
  return (
    <Suspense fallback={<PlainBox {...props} handover={handover} />}>
      <RichText {...props} handover={handover} />
    </Suspense>
  );
}

type Props = WritingBoxProps & { handover: { current: Handover } };

function MissingEditor(props: Props) {
  useEffect(sayMissing, []);
  return <PlainBox {...props} />;
}

function PlainBox({ content, label, placeholder, onWrite, onBlur, handle, handover }: Props) {
  const box = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(handle, () => ({
    focus: () => box.current?.focus(),
    blur: () => box.current?.blur(),
    insertPicture: () => undefined,
    insertText: () => undefined,
    openReplies: () => undefined,
  }));
  useLayoutEffect(() => {
    const { current } = box;
    const { isFocused, offset } = handover.current;
    if (isFocused) {
      current?.focus();
      current?.setSelectionRange(offset, offset);
    }
    return () => {
      if (current !== null)
        handover.current = { isFocused: document.activeElement === current, offset: current.selectionStart };
    };
  }, [handover]);
  const onChange: ComponentProps<'textarea'>['onChange'] = ({ target }) =>
    onWrite({ body: target.value, bodyHtml: null });
  return (
    <textarea
      ref={box}
      className={styles.plain}
      dir="auto"
      aria-label={label}
      placeholder={placeholder}
      rows={3}
      // Editing in the text area would lose the formatting.
      readOnly={content.bodyHtml !== null}
      value={content.body}
      onBlur={onBlur}
      onChange={onChange}
    />
  );
}

/** Waits until an input method has finished composing: replacing the text area would lose unfinished characters. */
function compositionEnd(): () => Promise<void> {
  let isComposing = false;
  const onStart = () => {
    isComposing = true;
  };
  const onEnd = () => {
    isComposing = false;
  };
  document.addEventListener('compositionstart', onStart);
  document.addEventListener('compositionend', onEnd);
  return async () => {
    while (isComposing) await new Promise((done) => document.addEventListener('compositionend', done, { once: true }));
    document.removeEventListener('compositionstart', onStart);
    document.removeEventListener('compositionend', onEnd);
  };
}
