// The local cloud as a process: Firestore and Pub/Sub, each on a port of 127.0.0.1, over one database.
// Argument: a JSON `LocalCloudOptions`.

import { enableCompileCache } from 'node:module';
import { errorMessage } from './protocol/status.ts';

// Without the cache, most of the start time is stripping types and compiling.
enableCompileCache();
try {
  const { serveCloud } = await import('./serveCloud.ts');
  await serveCloud(JSON.parse(process.argv[2] ?? ''));
} catch (error) {
  console.error(errorMessage(error));
  process.exit(1);
}
