// The thread that masks one text for `maskInThread`.

import { parentPort } from 'node:worker_threads';
import { createMasker, prepareSecrets } from './masker.ts';
import type { ThreadWork } from './maskingThread.ts';

parentPort?.once('message', ({ text, known, learned, rules, sessionKey }: ThreadWork) => {
  const prepared = prepareSecrets(known, rules, learned);
  parentPort?.postMessage(createMasker({ prepared, rules, sessionKey }).mask(text));
});
