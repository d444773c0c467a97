import { sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';

/**
 * Deletes expired rows: tokens, sign-ins without a code, sessions that ended or can no longer be refreshed, old wrong
 * passwords, old throttles and counts of past days.
 */
export const accountSweeps: readonly Sweep[] = [
  (tx, rowsMax) =>
    tx.run(sql`
      delete from link_tokens
      where ctid = any(array(select ctid from link_tokens where expires_at <= ${tx.now} limit ${rowsMax}))`),
  (tx, rowsMax) =>
    tx.run(sql`
      delete from refresh_tokens
      where ctid = any(array(select ctid from refresh_tokens where expires_at <= ${tx.now} limit ${rowsMax}))`),
  // Keeps sessions a day longer: an access token outlives its session's last refresh token by up to an hour.
  (tx, rowsMax) =>
    tx.run(sql`
      delete from sessions
      where id in (
        select id
        from sessions
        where ended_at < ${tx.now}::timestamptz - interval '1 day'
          or last_used_at < ${tx.now}::timestamptz - interval '31 days'
        limit ${rowsMax})`),
  (tx, rowsMax) =>
    tx.run(sql`
      delete from sign_in_challenges
      where ctid = any(array(select ctid from sign_in_challenges where expires_at <= ${tx.now} limit ${rowsMax}))`),
  // Factors that nobody confirmed.
  (tx, rowsMax) =>
    tx.run(sql`
      delete from second_factors
      where ctid = any(array(
        select ctid
        from second_factors
        where confirmed_at is null and created_at < ${tx.now}::timestamptz - interval '1 day'
        limit ${rowsMax}))`),
  (tx, rowsMax) =>
    tx.run(sql`
      delete from password_failures
      where ctid = any(array(
        select ctid
        from password_failures
        where failed_at < ${tx.now}::timestamptz - interval '1 hour'
        limit ${rowsMax}))`),
  (tx, rowsMax) =>
    tx.run(sql`
      delete from throttles
      where ctid = any(array(
        select ctid from throttles where last_at < ${tx.now}::timestamptz - interval '1 day' limit ${rowsMax}))`),
  (tx, rowsMax) =>
    tx.run(sql`
      delete from day_counts
      where ctid = any(array(
        select ctid from day_counts where began_at < ${tx.now}::timestamptz - interval '2 days' limit ${rowsMax}))`),
];
