import type { ServerSecret } from '../provider.ts';

type Login = { username: string; secret: ServerSecret };
/** Shorter secrets would mask words of the sentence. */
const secretCharsMin = 4;

/** Takes the password out of a server's text: some servers repeat the refused command, and people read the text. */
export function maskSecret(text: string, { username, secret }: Login): string {
  const word = 'password' in secret ? secret.password : secret.accessToken;
  const base64 = (plain: string) =>
    Buffer.from(plain)
      .toString('base64')
      .replace(/={1,2}$/, '');
  // The longest first, because it may contain the shorter forms.
  const forms = [
    base64(`user=${username}\x01auth=Bearer ${word}\x01\x01`),
    base64(`${username}\0${username}\0${word}`),
    base64(`\0${username}\0${word}`),
    base64(word),
    // As IMAP quotes strings.
    word.replace(/["\\]/g, '\\$&'),
    word,
  ];
  return forms
    .filter((form) => form.length >= secretCharsMin)
    .reduce((masked, form) => withoutBeginning(masked.replaceAll(form, '…'), form), text);
}

/** A text that was cut may end in the middle of a secret, with dots or a closing mark behind it. */
function withoutBeginning(text: string, secret: string): string {
  const rest = text.replace(/(?<![\s.…"')\]>])[\s.…"')\]>]+$/, '');
  for (let length = secret.length - 1; length >= secretCharsMin; length--)
    if (rest.endsWith(secret.slice(0, length))) return `${rest.slice(0, -length)}…`;
  return text;
}
