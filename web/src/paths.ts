/** Every address of the web inbox is built here. */
export const paths = {
  inbox: '/',
  welcome: '/welcome',
  signIn: '/sign-in',
  register: '/register',
  verifyEmail: '/verify-email',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  workspaces: '/workspaces',
  acceptInvite: '/accept-invite',
  newTicket: '/new',
  ticketPattern: '/t/:number',
  ticket: (number: number, search = '') => `/t/${number}${search === '' ? '' : `?${search}`}`,
  settingsPattern: '/settings/:section',
  settings: (section: string) => `/settings/${section}`,
  viewPattern: '/v/:viewId',
  list: (search: string) => (search === '' ? '/' : `/?${search}`),
} as const;
