/** How the person started this command line, as messages name it. From npm's cache, `npx kontor` would not find it. */
export function programOf({ npm_command: command }: NodeJS.ProcessEnv, script: string): string {
  if (command !== 'exec') return 'kontor';
  return /[/\\]_npx[/\\]/.test(script) ? 'npx @kontor/client' : 'npx kontor';
}

/** A command of these words, ready to be typed. */
export function typed(words: string): string {
  return `${programOf(process.env, process.argv[1] ?? '')} ${words}`;
}
