import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

const packageFolder = new URL('../../node_modules/@sparticuz/chromium/', import.meta.url);
const cache = fileURLToPath(new URL('../../node_modules/.cache/kontor/', import.meta.url));

/**
 * The path of Chromium's program, unpacked once for each version of the package.
 *
 * The package's own `executablePath` gives the path to a second process while the first still writes there, which then
 * fails with ETXTBSY. Here the program gets its name when it is whole.
 */
export async function unpackedChromium(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('package.json', packageFolder), 'utf8'));
  const program = join(cache, `chromium-${version}`, 'chromium');
  if (existsSync(program)) return program;
  await mkdir(join(cache, `chromium-${version}`), { recursive: true });
  const folder = await mkdtemp(join(cache, 'unpack-'));
  try {
    const unpacked = join(folder, 'chromium');
    await pipeline(
      createReadStream(new URL('bin/chromium.br', packageFolder)),
      createBrotliDecompress(),
      createWriteStream(unpacked, { mode: 0o700 }),
    );
    await rename(unpacked, program);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return program;
}
