/** Someone whom a mail names. */
export type MailPerson = {
  email: string;
  name: string | null;
  /** Given by imports: by what right this way of writing the name and the address is chosen, see `nameClaim`. */
  claim: string | null;
};

/**
 * Ranks how a mail of an import writes a person: what people call themselves before what others call them, a name before
 * none, then the older mail. The least claim wins, so the contact does not depend on the order of the mails.
 */
export function nameClaim(person: { email: string; name: string | null }, isSelf: boolean, at: Date): string {
  const rank = (person.name === null ? 2 : 0) + (isSelf ? 0 : 1);
  return `${rank} ${at.toISOString()} ${person.name ?? ''} ${person.email}`;
}
