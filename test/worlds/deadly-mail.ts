/** `node --import ./test/worlds/deadly-mail.ts …` makes a process that dies when it parses a mail with this mark. */
import { registerHooks } from 'node:module';

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (!url.endsWith('/mail/src/parse.ts')) return loaded;
    const dies = `$& if (Buffer.from(raw).includes('deadly mark')) process.kill(process.pid, 'SIGKILL');`;
    return { ...loaded, source: String(loaded.source).replace(/export async function parseMail\([^{]*\{/, dies) };
  },
});
