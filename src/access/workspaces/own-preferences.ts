import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import type { OwnPreferences, OwnPreferencesChange } from './preference-schema.ts';

type StoredPreferences = Omit<OwnPreferences, 'signatures'>;

/** Preferences of a user who has chosen nothing. */
const defaults: StoredPreferences = {
  theme: 'system',
  darkMail: false,
  density: 'comfortable',
  locale: null,
  timeZone: null,
  afterAction: 'next',
  undoSendSeconds: 10,
  singleKeys: true,
  keys: [],
  remoteImages: 'ask',
};

export async function readOwnPreferences(db: Queryable, userId: UserId): Promise<OwnPreferences> {
  const [{ preferences }, signatures] = await together([
    db.one<{ preferences: Partial<StoredPreferences> }>(sql`select preferences from users where id = ${userId}`),
    db.rows<OwnPreferences['signatures'][number]>(sql`
      select workspace_id as "workspaceId", signature_html as html
      from members
      where user_id = ${userId} and removed_at is null and signature_html is not null
      order by workspace_id`),
  ]);
  return { ...defaults, ...preferences, signatures };
}

/** Changes only the given fields. Throws 400, and 403 for a workspace without membership. */
export async function changeOwnPreferences(
  tx: Tx,
  userId: UserId,
  { signatures = [], ...change }: OwnPreferencesChange,
): Promise<OwnPreferences> {
  refuseUnknown(change);
  const canonical = change.locale ? { ...change, locale: Intl.getCanonicalLocales(change.locale)[0] } : change;
  await tx.run(sql`
    update users set preferences = preferences || ${JSON.stringify(canonical)}::jsonb where id = ${userId}`);
  for (const { workspaceId, html } of signatures) {
    const signature = html === null ? null : sanitizeHtml(html).trim() || null;
    const changed = await tx.run(sql`
      update members set signature_html = ${signature}
      where workspace_id = ${workspaceId} and user_id = ${userId} and removed_at is null`);
    if (changed === 0) throw new AppError('workspace.forbidden');
  }
  return readOwnPreferences(tx, userId);
}

function refuseUnknown({ locale, timeZone }: Partial<StoredPreferences>): void {
  if (locale && !isAccepted(() => Intl.getCanonicalLocales(locale)))
    throw invalidRequest({ path: 'body.locale', key: 'not_a_language' });
  if (timeZone && !isAccepted(() => new Intl.DateTimeFormat('en', { timeZone })))
    throw invalidRequest({ path: 'body.timeZone', key: 'not_a_time_zone' });
}

function isAccepted(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}
