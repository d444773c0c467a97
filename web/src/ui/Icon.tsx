const shapes = {
  menu: 'M2 4h12M2 8h12M2 12h12',
  person: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14c.6-3 2.8-4.5 5.5-4.5s4.9 1.5 5.5 4.5',
  question: 'M8 14.5A6.5 6.5 0 1 0 8 1.5a6.5 6.5 0 0 0 0 13ZM6 6a2 2 0 1 1 2.8 1.8c-.6.3-.8.6-.8 1.2M8 11.5v.2',
  inbox: 'M1.5 9 3.5 3h9l2 6v4h-13V9Zm0 0H5l1 2h4l1-2h3.5',
  pause: 'M8 14.5A6.5 6.5 0 1 0 8 1.5a6.5 6.5 0 0 0 0 13ZM6.5 5.5v5M9.5 5.5v5',
  clock: 'M8 14.5A6.5 6.5 0 1 0 8 1.5a6.5 6.5 0 0 0 0 13ZM8 4.5V8l2.5 1.5',
  check: 'M2.5 8.5 6 12l7.5-8',
  alert: 'M8 2 1.5 13.5h13L8 2Zm0 4.5v3M8 11.5v.2',
  paperclip: 'M13.5 7.5 8 13a3.2 3.2 0 0 1-4.5-4.5l6-6a2.1 2.1 0 0 1 3 3l-6 6a1 1 0 0 1-1.5-1.5l5.5-5.5',
  archive: 'M2 2.5h12v3H2v-3Zm1 3v8h10v-8M6.5 8.5h3',
  trash: 'M2 4h12M6 4V2h4v2M3.5 4l.8 10h7.4l.8-10M6.5 6.5v5M9.5 6.5v5',
  spam: 'M5.5 1.5h5l4 4v5l-4 4h-5l-4-4v-5l4-4ZM8 4.5v4M8 11v.2',
  view: 'M4 1.5h8v13L8 11l-4 3.5v-13Z',
  shared: 'M4 1.5h8v13L8 11l-4 3.5v-13ZM6 5h4M6 7.5h4',
  bell: 'M3.5 11.5V7a4.5 4.5 0 0 1 9 0v4.5l1 1h-11l1-1ZM6.5 14.5h3',
  settings:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2' +
    'M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4',
  keyboard: 'M1.5 4h13v8h-13V4ZM4 6.5h.2M7 6.5h.2M10 6.5h.2M12 6.5h.2M4.5 9.5h7',
  leave: 'M6 2.5H2.5v11H6M10.5 5 13.5 8l-3 3M13 8H6',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.6 10.6 14 14',
  pencil: 'M2.5 13.5 3.2 10.5 11 2.7a1.5 1.5 0 0 1 2.3 2.3L5.5 12.8l-3 .7Z',
  more: 'M3.5 8h.2M8 8h.2M12.5 8h.2',
} as const;

export type IconName = keyof typeof shapes;

/** A picture beside a label, or in its place where there is no room. Screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <path d={shapes[name]} stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
