import { useRef, useState } from 'react';
import { useCommands } from '../../commands.ts';
import { useMedia } from '../../lib/media.ts';

/** Below this width the rail lies over the conversation, and chips show the properties. */
const narrow = '(max-width: 1099px)';
const key = 'kontor.rail';

export type RailPlace = 'rail' | 'pictures';

/**
 * The state and the commands of the rail. A wide page has it beside each ticket, unless the person has closed it; a
 * narrow page lays it over one ticket.
 */
export function useRail(ticketId: string | undefined, hasContact: boolean) {
  const isNarrow = useMedia(narrow);
  const [isShut, setIsShut] = useState(() => localStorage.getItem(key) === 'shut');
  const [overId, setOverId] = useState<string>();
  /** Where the focus goes once that is drawn. */
  const [wanted, setWanted] = useState<RailPlace>();
  const button = useRef<HTMLButtonElement>(null);
  const isOpenIn = (isOver: boolean) => (isOver ? overId !== undefined && overId === ticketId : !isShut);
  /** For a key that comes before the frame with the new width. */
  const isNarrowNow = () => window.matchMedia(narrow).matches;
  const set = (open: boolean) => {
    if (isNarrowNow()) setOverId(open ? ticketId : undefined);
    else {
      localStorage.setItem(key, open ? 'open' : 'shut');
      setIsShut(!open);
    }
  };
  const close = () => {
    set(false);
    setWanted(undefined);
    button.current?.focus();
  };
  const show = (place: RailPlace) => {
    set(true);
    setWanted(place);
  };
  useCommands({
    contactPanel: ticketId === undefined ? undefined : () => (isOpenIn(isNarrowNow()) ? close() : show('rail')),
    remotePictures: hasContact ? () => show('pictures') : undefined,
  });
  return { isNarrow, isOpen: isOpenIn(isNarrow), wanted, button, close, onFocused: () => setWanted(undefined) };
}
