/** Every address of the web inbox is built here. */
export const paths = {
  inbox: '/',
  signIn: '/sign-in',
  register: '/register',
  verifyEmail: '/verify-email',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  acceptInvite: '/accept-invite',
  ticketPattern: '/t/:number',
  ticket: (number: number, search = '') => `/t/${number}${search === '' ? '' : `?${search}`}`,
  list: (search: string) => (search === '' ? '/' : `/?${search}`),
} as const;
