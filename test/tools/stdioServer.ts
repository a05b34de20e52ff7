// The fixture server as a process. The first argument says how it behaves:
// (none) well, `silent` never answers, `broken` ends at once, `stubborn` does not end when it should, `crash` dies of an
// error, with a stack trace, when it is told to die.

import { enableCompileCache } from 'node:module';

const mode = process.argv[2];

if (mode === 'broken') {
  console.error(`cannot log in with ${process.env.API_TOKEN}: token expired`);
  process.exit(3);
}
if (mode === 'stubborn') {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 60_000);
}
if (mode === 'silent') {
  process.stdin.resume();
} else {
  // It is started often, and inherits no NODE_COMPILE_CACHE.
  enableCompileCache();
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const { createFixtureServer } = await import('./fixtureTools.ts');
  const cancelled: string[] = [];
  const crash = () => {
    throw new Error('the cache is full');
  };
  serveStdio(() => createFixtureServer({ cancelled, die: mode === 'crash' ? crash : () => process.exit(1) }));
}
