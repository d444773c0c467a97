/** The API returns at most the newest hundred tickets of a contact. */
export const ticketsMax = 100;
