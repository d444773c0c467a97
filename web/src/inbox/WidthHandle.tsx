import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from 'react';
import { keepListWidth, listWidth } from '../lib/list-width.ts';
import { words } from '../words/words.ts';
import styles from './WidthHandle.module.css';

/** In pixels, as in `InboxPage.module.css`. */
const [min, max] = [280, 480];
const stepOfKey: Record<string, number> = { ArrowLeft: -20, ArrowRight: 20 };

/** Whether the list stands at the right. */
const isReversed = (element: Element) => element.matches(':dir(rtl)');

/** The edge between the list and the ticket, which the person moves by pointer or arrow keys. */
export function WidthHandle() {
  const handle = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(listWidth);
  // Before anybody chose, the window decides.
  useLayoutEffect(() => {
    if (width === 0) setWidth(Math.round(handle.current?.parentElement?.getBoundingClientRect().width ?? min));
  }, [width]);
  const choose = (wanted: number) => {
    const chosen = Math.round(Math.min(Math.max(wanted, min), max));
    keepListWidth(chosen);
    setWidth(chosen);
  };
  const onPointerMove = (event: PointerEvent) => {
    const list = handle.current?.parentElement?.getBoundingClientRect();
    if (event.buttons === 1 && list !== undefined)
      choose(isReversed(event.currentTarget) ? list.right - event.clientX : event.clientX - list.left);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOfKey[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(width + (isReversed(event.currentTarget) ? -step : step));
  };
  return (
    <div
      ref={handle}
      className={styles.handle}
      role="separator"
      aria-orientation="vertical"
      aria-label={words('resize.list')}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    />
  );
}
