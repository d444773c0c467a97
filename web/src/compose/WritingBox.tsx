import { type ComponentProps, lazy, Suspense, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { sayMissing } from '../ui/missing.ts';
import { loadLaterWords } from '../words/words.ts';
import styles from './Composer.module.css';
import type { Handover, WritingBoxProps } from './editor/writing-box-props.ts';

const RichText = lazy(async () => {
  const isComposed = compositionEnd();
  const loaded = await loadEditor().catch(() => undefined);
  await isComposed();
  // A text can be written without it.
  return { default: loaded ?? MissingEditor };
});

async function loadEditor() {
  const [{ RichText: loaded }] = await Promise.all([import('./editor/RichText.tsx'), loadLaterWords()]);
  return loaded;
}

/** The editor, which is a chunk of its own; until it is there a text area takes the keys, and hands them over. */
export function WritingBox(props: WritingBoxProps) {
  const handover = useRef<Handover>({ isFocused: false, offset: 0 });
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

function PlainBox({ content, label, onWrite, onFocus, onBlur, handle, handover }: Props) {
  const box = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(handle, () => ({
    focus: () => box.current?.focus(),
    blur: () => box.current?.blur(),
    insertPicture: () => undefined,
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
      aria-label={label}
      rows={3}
      // The text area would take the formatting away.
      readOnly={content.bodyHtml !== null}
      value={content.body}
      onFocus={onFocus}
      onBlur={onBlur}
      onChange={onChange}
    />
  );
}

/** Signs that are being composed would be lost with the box in which they are. */
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
