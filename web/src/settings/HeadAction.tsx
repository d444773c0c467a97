import { createContext, type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';

const Place = createContext<HTMLElement | null>(null);

/** The end of the page's head. */
export const HeadPlace = Place.Provider;

/** Puts the page's first action beside its title. */
export function HeadAction({ children }: { children: ReactNode }) {
  const place = useContext(Place);
  return place === null ? null : createPortal(children, place);
}
