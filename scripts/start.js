// Starts the service. `operate.js` runs the other commands.
import { launch } from './launch.js';

await launch('src/main.ts', ['serve', ...process.argv.slice(2)]);
