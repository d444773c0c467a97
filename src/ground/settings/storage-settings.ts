import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SettingsReader } from './settings-reader.ts';

/** Where blobs are stored. */
export type StorageSettings = { kind: 'disk'; root: string } | S3Storage;

export type S3Storage = {
  kind: 's3';
  bucket: string;
  /** Without leading and trailing slashes; may be empty. */
  prefix: string;
  /** Undefined: Amazon's endpoint of the region. */
  endpoint: string | undefined;
  region: string;
};

/** Reads `s3://bucket/prefix?endpoint=<url>&region=<name>`, or a folder as `file:///path`. */
export function readStorage(read: SettingsReader, dataDir: string): StorageSettings {
  const disk = { kind: 'disk', root: join(dataDir, 'blobs') } as const;
  const text = read.url('STORAGE_URL', ['s3:', 'file:']);
  if (text === undefined) return disk;
  if (text.startsWith('file:')) {
    if (/^file:\/\/\/./.test(text)) return { kind: 'disk', root: fileURLToPath(text) };
    read.faults.push('STORAGE_URL: a folder needs its absolute path, such as file:///var/lib/kontor/blobs');
    return disk;
  }
  const { storage, faults } = readBucket(text);
  read.faults.push(...faults.map((fault) => `STORAGE_URL: ${fault}`));
  return storage;
}

/** Reads the address of a bucket. It begins with `s3://`. */
export function readBucket(text: string): { storage: S3Storage; faults: string[] } {
  const faults: string[] = [];
  const url = new URL(text);
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname)) faults.push('not a bucket name');
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint))
    faults.push('its endpoint is not an address that begins with http:// or https://');
  const storage: S3Storage = {
    kind: 's3',
    bucket: url.hostname,
    prefix: url.pathname.replace(/^\/+|\/+$/g, ''),
    endpoint,
    region: url.searchParams.get('region') ?? 'us-east-1',
  };
  return { storage, faults };
}
