// The commands of an operator: node operate.js <command>. Any Node that npm uses may run this file.
import { launch } from './scripts/launch.js';

const converters = ['freescout', 'help-scout', 'zendesk'];

const [command, kind, ...others] = process.argv.slice(2);
if (command === 'convert' && converters.includes(kind)) await launch(`importers/${kind}.ts`, others);
else await launch('src/main.ts', process.argv.slice(2));
