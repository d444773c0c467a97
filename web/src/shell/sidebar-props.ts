import type { ListPlace } from '../tickets/lists.ts';

/** The page that is shown in place of a list. */
export type SidebarPage = 'settings' | 'drafts' | 'undelivered' | 'scheduled' | 'contacts' | 'reports';

export type SidebarProps = {
  /** The list that is shown. */
  place?: ListPlace | undefined;
  page?: SidebarPage | undefined;
};
