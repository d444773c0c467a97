/** Changes the connections of smtp-server. */

import { QUOTED_STRING, shortestLocalPart } from '@kontor/mail/quoted-local-part.ts';
import type { SMTPServer } from 'smtp-server';

type Connection = SMTPServer['connections'] extends Set<infer Item> ? Item : never;

const standIn = 'quoted-local-part';
const quotedPath = new RegExp(`^([^<"]{0,20}<)(${QUOTED_STRING})(@[^\\s<>"@]+>)`);

/**
 * Makes a connection accept `MAIL FROM:<"john smith"@example.org>` (RFC 5321 §4.1.2). smtp-server splits the command
 * at blanks and at every `@`, so this passes a placeholder instead of the quoted local part.
 */
export function takeQuotedPaths(connection: Pick<Connection, '_parseAddressCommand'>): void {
  const parse = connection._parseAddressCommand.bind(connection);
  connection._parseAddressCommand = (name, command) => {
    const quoted = quotedPath.exec(String(command).trimStart());
    if (quoted === null) return parse(name, command);
    const [whole, before, local = '', behind] = quoted;
    const parsed = parse(name, `${before}${standIn}${behind}${String(command).trimStart().slice(whole.length)}`);
    return parsed && { ...parsed, address: parsed.address.replace(standIn, () => shortestLocalPart(local)) };
  };
}

/** Runs `work` before each command of the client, if there is some. It must not throw. */
export function beforeCommands(
  connection: Pick<Connection, '_onCommand'>,
  work: () => Promise<void> | undefined,
): void {
  const onCommand = connection._onCommand.bind(connection);
  connection._onCommand = (command, callback) => {
    const begun = work();
    if (begun === undefined) onCommand(command, callback);
    else void begun.then(() => onCommand(command, callback));
  };
}
