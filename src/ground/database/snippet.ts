import { type Sql, sql } from './sql.ts';

/** How many characters of a text `snippetOf` reads. The addresses of links before the first words may be long. */
export const SNIPPET_READS = 4_000;

/**
 * The beginning of a text on one line, with mentions shown as names. Leaves out the addresses behind links and the end
 * of long addresses, unless the text has nothing else.
 */
export function snippetOf(text: Sql): Sql {
  return sql`coalesce(nullif(${oneLine(withoutAddresses(text))}, ''), ${oneLine(text)})`;
}

/** Without the addresses in brackets: `htmlToText` and mail programs write them behind the text of a link. */
function withoutAddresses(text: Sql): Sql {
  return sql`regexp_replace(
    regexp_replace(left(${text}, ${SNIPPET_READS}::integer),
      '\\[(?:https?|ftp|mailto|tel|cid):[^]\\s]*(?:\\]|$)|<https?:[^>\\s]*(?:>|$)|\\(\\s*https?:[^)\\s]*\\s*(?:\\)|$)',
      ' ', 'g'),
    '(https?://[^/\\s]{1,80}/)\\S{60,}', '\\1…', 'g')`;
}

/** Leaves out the filler characters that no reader sees. A joiner stays inside words and emoji. */
function oneLine(text: Sql): Sql {
  return sql`left(btrim(regexp_replace(
      regexp_replace(
        regexp_replace(left(${text}, 1000), '@\\[(.*?)\\]\\(user:[-0-9a-fA-F]+\\)', '@\\1', 'g'),
        '[\\u00ad\\u034f\\u200b\\u2060\\ufeff]+', '', 'g'),
      '\\u200c*[\\s\\u00a0][\\s\\u00a0\\u200c\\u200d]*', ' ', 'g')), 160)`;
}
