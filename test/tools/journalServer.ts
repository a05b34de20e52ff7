// The server with a journal as a process; its first argument is the file of the journal.

import { enableCompileCache } from 'node:module';

// It is started for each iteration, and inherits no NODE_COMPILE_CACHE.
enableCompileCache();
const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
const { createJournalServer } = await import('./journal.ts');

serveStdio(() => createJournalServer(process.argv[2] ?? ''));
