/** A person named in a mail. */
export type MailPerson = {
  email: string;
  name: string | null;
  /** Set by imports: the rank of this spelling of the name and the address, see `nameClaim`. */
  claim: string | null;
};

/**
 * Ranks a spelling of a person in an imported mail: a name before no name, then the person's own spelling, then the
 * older mail. The lowest claim wins, so the result does not depend on the order of the mails.
 */
export function nameClaim(person: { email: string; name: string | null }, isSelf: boolean, at: Date): string {
  const rank = (person.name === null ? 2 : 0) + (isSelf ? 0 : 1);
  return `${rank} ${at.toISOString()} ${person.name ?? ''} ${person.email}`;
}
