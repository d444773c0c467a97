import { type PointerEvent, useRef } from 'react';

const pressMs = 500;
/** A finger trembles. */
const movePx = 10;

/** Handlers for a long press of a finger, which replaces the click and the browser's menu. */
export function useLongPress(onPress: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const start = useRef({ x: 0, y: 0 });
  const wasPressed = useRef(false);
  const stop = () => clearTimeout(timer.current);
  return {
    onPointerDown: ({ pointerType, isPrimary, clientX, clientY }: PointerEvent) => {
      stop();
      wasPressed.current = false;
      if (pointerType !== 'touch' || !isPrimary) return;
      start.current = { x: clientX, y: clientY };
      timer.current = setTimeout(() => {
        wasPressed.current = true;
        onPress();
      }, pressMs);
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      if (Math.hypot(clientX - start.current.x, clientY - start.current.y) > movePx) stop();
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    onContextMenu: (event: { nativeEvent: Event; preventDefault: () => void }) => {
      if ((event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch') event.preventDefault();
    },
    /** @returns whether a click only ends a long press */
    endsPress: () => {
      const ended = wasPressed.current;
      wasPressed.current = false;
      return ended;
    },
  };
}
