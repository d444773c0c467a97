const titles = /^(?:dr|prof|mr|mrs|ms|miss|herr|frau|sir|madam|mme|mlle|sr|sra)\.?$/i;
/** Names of mailboxes and companies, which have no first name. */
const notPeople = new RegExp(
  String.raw`\b(?:info|support|sales|billing|office|team|admin|administrator|contact|service|services|help|helpdesk|` +
    'accounts?|accounting|noreply|no-reply|newsletter|customer|marketing|hr|reception|orders?|gmbh|ag|inc|llc|ltd|' +
    String.raw`limited|corp|corporation|company|bv|sarl|srl|kg|ug|plc)\b`,
  'i',
);

/** The name by which to greet a person; undefined for addresses, companies and shared mailboxes. */
export function firstNameOf(name: string | null): string | undefined {
  const whole = (name ?? '').trim().replace(/\s+/g, ' ');
  if (whole === '' || whole.includes('@') || notPeople.test(whole)) return undefined;
  const [last = '', given] = whole.split(',', 2);
  const words = (given?.trim() || last).split(' ').filter((word) => !titles.test(word));
  const [first] = words;
  return first !== undefined && /\p{L}/u.test(first) ? first : undefined;
}
