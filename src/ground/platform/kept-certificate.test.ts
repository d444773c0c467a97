import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keptCertificate } from './kept-certificate.ts';

test('a certificate is generated once, for years, and only its owner can read its key', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kontor-certificate-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const path = await keptCertificate(dataDir, { name: 'own.pem', host: 'mx.example.org' });
  const made = await readFile(path, 'utf8');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const certificate = new X509Certificate(made);
  expect(certificate.subject).toBe('CN=mx.example.org');
  expect(certificate.validToDate.getFullYear()).toBeGreaterThan(new Date().getFullYear() + 15);
  await keptCertificate(dataDir, { name: 'own.pem', host: 'other.example.org' });
  expect(await readFile(path, 'utf8')).toBe(made);
});
