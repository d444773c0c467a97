/**
 * Times argon2id by its parameters, one hash at a time. From this table come the parameters in `accounts/password.ts`,
 * with a target of about 50 ms. `node bench/prove/argon2.ts`
 */
import { hash } from '@node-rs/argon2';

const memoriesKib = [19_456, 32_768, 47_104, 65_536];
const passes = [1, 2, 3, 4];
const rounds = 15;

console.log('memory    passes   least   median');
for (const memoryCost of memoriesKib) {
  for (const timeCost of passes) {
    const milliseconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now();
      await hash('correct horse battery', { algorithm: 2, memoryCost, timeCost, parallelism: 1 });
      milliseconds.push(performance.now() - startedAt);
    }
    const [least = 0] = milliseconds.sort((a, b) => a - b);
    const median = milliseconds[Math.floor(rounds / 2)] ?? 0;
    const told = [`${memoryCost / 1024} MiB`, String(timeCost), `${least.toFixed(1)} ms`, `${median.toFixed(1)} ms`];
    console.log(told.map((text, column) => text.padEnd(column === 0 ? 10 : 9)).join(''));
  }
}
