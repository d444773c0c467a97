import pg from 'pg';

/** A node of a Citus cluster. Group 0 is the coordinator. */
export type ClusterNode = { group: number; host: string; port: number };

/** The rows of the statement at the coordinator. */
export async function askCluster<Row extends pg.QueryResultRow>(
  databaseUrl: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** The workers that may have rows of workspaces. */
export function workersOf(databaseUrl: string): Promise<ClusterNode[]> {
  return askCluster(
    databaseUrl,
    `select groupid as group, nodename as host, nodeport as port from pg_dist_node
     where noderole = 'primary' and shouldhaveshards order by groupid`,
  );
}

/** The node that has a workspace's rows now. */
export async function nodeOf(databaseUrl: string, workspaceId: string): Promise<ClusterNode> {
  const [node] = await askCluster<ClusterNode>(
    databaseUrl,
    `select n.groupid as group, n.nodename as host, n.nodeport as port
     from pg_dist_placement p
     join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
     where p.shardid = get_shard_id_for_distribution_column('tickets', $1::uuid) and p.shardstate = 1`,
    [workspaceId],
  );
  if (node === undefined) throw new Error(`no node has the rows of ${workspaceId}`);
  return node;
}

/** The database's URL at each node, the coordinator first. */
export async function nodeUrlsOf(databaseUrl: string): Promise<string[]> {
  const workers = await workersOf(databaseUrl);
  const atWorkers = workers.map(({ host, port }) => {
    const url = new URL(databaseUrl);
    url.host = `${host}:${port}`;
    return url.href;
  });
  return [databaseUrl, ...atWorkers];
}
