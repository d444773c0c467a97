import type pg from 'pg';

/**
 * The table that holds the foreign keys while tables are distributed. While it exists, the distribution was cut: the
 * keys are missing, and some tables are not in their places.
 */
export const keptKeys = 'kept_foreign_keys';

export async function isDistributionCut(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select to_regclass($1) is not null as "isCut"', [keptKeys]);
  return rows[0].isCut === true;
}
