// The fixture server as a process. The first argument says how it behaves:
// (none) well, `silent` never answers, `broken` ends at once, `stubborn` does not end when it should, `deaf`
// ends only by a signal, `crash` dies of an error, with a stack trace, when it is told to die, `late` serves
// when the file LATE exists, `growing` gets more tools, `flooding` writes one endless line when it is told to
// die, and to the file FLOODED a dot for each 64,000 characters of it. Every start appends its process id to
// the file STARTS, where that is set.

import { appendFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

const mode = process.argv[2];
if (process.env.STARTS !== undefined) appendFileSync(process.env.STARTS, `${process.pid}\n`);

if (mode === 'broken') {
  console.error(`cannot log in with ${process.env.API_TOKEN}: token expired`);
  process.exit(3);
}
if (mode === 'stubborn') process.on('SIGTERM', () => {});
if (mode === 'stubborn' || mode === 'deaf') setInterval(() => {}, 60_000);
// It is started often, and inherits no NODE_COMPILE_CACHE.
enableCompileCache();
const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
const { createFixtureServer, createGrowingServer, untilExists } = await import('./fixtureTools.ts');
if (mode === 'late') {
  // It ends with its input, as servers do.
  process.stdin.once('end', () => process.exit());
  await untilExists(String(process.env.LATE));
}
if (mode === 'silent') {
  process.stdin.resume();
} else if (mode === 'growing') {
  serveStdio(createGrowingServer);
} else {
  const cancelled: string[] = [];
  const flood = () => {
    const piece = 'x'.repeat(64_000);
    const write = () => {
      let isRead = true;
      while (isRead) {
        isRead = process.stdout.write(piece);
        appendFileSync(String(process.env.FLOODED), '.');
      }
    };
    process.stdout.on('drain', write);
    write();
  };
  const crash = () => {
    throw new Error('the cache is full');
  };
  const ends: Record<string, () => void> = { crash, flooding: flood };
  const die = ends[mode ?? ''] ?? (() => process.exit(1));
  serveStdio(() => createFixtureServer({ cancelled, die }));
}
