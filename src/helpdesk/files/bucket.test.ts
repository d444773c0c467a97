import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHouse, type House } from '../../../test/harness/harness.ts';
import { keptFiles, upload } from '../../../test/harness/uploads.ts';
import { type S3Server, startS3 } from '../../../test/peers/s3-server.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf } from '../../../test/worlds/mails.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';

let server: S3Server;
let house: House & { close(): Promise<void> };
let owner: Person;
let ticketId: string;

beforeAll(async () => {
  server = await startS3();
  house = await buildHouse({ STORAGE_URL: `s3://${server.bucket}/support?endpoint=${server.endpoint}` });
  owner = await makeOwner(house);
  ticketId = (await owner.call('POST', '/tickets', { subject: 'Files', body: 'b' })).body.id;
});
afterAll(async () => {
  await house.close();
  await server.close();
});

const objects = async () =>
  (await readdir(server.folder, { recursive: true })).filter((path) => path.includes(owner.workspaceId));

test('with a bucket, uploads and mails are stored there and nowhere else', async () => {
  const content = randomBytes(6_000_000);
  const { status, body } = await upload(house, owner, ticketId, { name: 'big.bin', type: 'x/y', content });
  expect([status, body.sha256]).toEqual([201, createHash('sha256').update(content).digest('hex')]);
  const url = `${house.url}${body.url.slice(house.app.config.publicUrl.length)}`;
  expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(content)).toBe(true);
  const part = await fetch(url, { headers: { range: 'bytes=5999990-' } });
  expect([part.status, Buffer.from(await part.arrayBuffer()).equals(content.subarray(-10))]).toEqual([206, true]);

  const raw = mailOf();
  await ingest(house, owner, [raw]);
  const [ticket] = (await owner.call('GET', '/tickets?search=printer')).body;
  const [message] = (await owner.call('GET', `/tickets/${ticket.id}`)).body.messages;
  expect((await owner.call('GET', `/messages/${message.id}/raw`)).body).toBe(raw.toString());
  expect(await keptFiles(house)).toEqual([]);
  expect(await readdir(join(house.dataDir, 'blobs')).catch(() => [])).toEqual([]);
});

test('an unused upload is deleted from the bucket', async () => {
  const { body } = await upload(house, owner, ticketId, { content: 'unused' });
  const isThere = async () => (await objects()).some((path) => path.includes(body.sha256));
  expect(await isThere()).toBe(true);
  house.clock.advance(25 * 3_600_000);
  await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
  await house.drain();
  expect(await isThere()).toBe(false);
  owner = await makeMember(house, owner.workspaceId, 'owner');
});

test('an unreachable bucket causes a 503 and leaves no attachment', async () => {
  const away = await buildHouse({ STORAGE_URL: 's3://kontor?endpoint=http://127.0.0.1:9' });
  try {
    const person = await makeOwner(away);
    const { id } = (await person.call('POST', '/tickets', { subject: 'Files', body: 'b' })).body;
    const { status, headers, body } = await upload(away, person, id);
    expect([status, body.key, headers.get('retry-after')]).toEqual([503, 'unavailable', '5']);
    expect(await keptFiles(away)).toEqual([]);
  } finally {
    await away.close();
  }
});
