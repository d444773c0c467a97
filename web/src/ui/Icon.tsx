const shapes = {
  menu: 'M2 4h12M2 8h12M2 12h12',
  person: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14c.6-3 2.800-4.500 5.500-4.500s4.900 1.500 5.500 4.500',
  question:
    'M8 14.500A6.500 6.500 0 1 0 8 1.500a6.500 6.500 0 0 0 0 13ZM6 6a2 2 0 1 1 2.800 1.800c-.6.3-.8.6-.8 1.200M8 11.500v.2',
  inbox: 'M1.500 9 3.500 3h9l2 6v4h-13V9Zm0 0H5l1 2h4l1-2h3.500',
  pause: 'M8 14.500A6.500 6.500 0 1 0 8 1.500a6.500 6.500 0 0 0 0 13ZM6.500 5.500v5M9.500 5.500v5',
  clock: 'M8 14.500A6.500 6.500 0 1 0 8 1.500a6.500 6.500 0 0 0 0 13ZM8 4.500V8l2.500 1.500',
  check: 'M2.500 8.500 6 12l7.500-8',
  alert: 'M8 2 1.500 13.500h13L8 2Zm0 4.500v3M8 11.500v.2',
  paperclip:
    'M13.500 7.500 8 13a3.200 3.200 0 0 1-4.500-4.500l6-6a2.100 2.100 0 0 1 3 3l-6 6a1 1 0 0 1-1.500-1.500l5.500-5.500',
  archive: 'M2 2.500h12v3H2v-3Zm1 3v8h10v-8M6.500 8.500h3',
  view: 'M4 1.500h8v13L8 11l-4 3.500v-13Z',
  shared: 'M4 1.500h8v13L8 11l-4 3.500v-13ZM6 5h4M6 7.500h4',
  bell: 'M3.500 11.500V7a4.500 4.500 0 0 1 9 0v4.500l1 1h-11l1-1ZM6.500 14.500h3',
  settings:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 1.500v2M8 12.500v2M1.500 8h2M12.500 8h2M3.400 3.400l1.400 1.400M11.200 11.200l1.400 1.400M3.400 12.600l1.400-1.400M11.200 4.800l1.400-1.400',
  keyboard: 'M1.500 4h13v8h-13V4ZM4 6.500h.2M7 6.500h.2M10 6.500h.2M12 6.500h.2M4.500 9.500h7',
  leave: 'M6 2.500H2.500v11H6M10.500 5 13.500 8l-3 3M13 8H6',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.600 10.600 14 14',
  pencil: 'M2.500 13.500 3.200 10.500 11 2.700a1.500 1.500 0 0 1 2.300 2.300L5.500 12.800l-3 .7Z',
  more: 'M3.500 8h.2M8 8h.2M12.500 8h.2',
} as const;

export type IconName = keyof typeof shapes;

/** A picture beside words, or in their place where there is no room; it says nothing by itself. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <path d={shapes[name]} stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
