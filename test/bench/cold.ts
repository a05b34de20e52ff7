// What the first iteration of a new instance takes: each in a process of its own, with SDKs and connections
// begun beside the claim or one after another.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleModules } from '../../deploy/bundle.ts';
import { startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import type { ColdOptions } from './coldIteration.ts';
import { beginExecution, openBench, type Times } from './investigation.ts';
import { startServers } from './tools.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** About the way to a Firestore in the same region. */
const STORE_DELAY_MS = 15;

/** Runs `rounds` cold iterations per transport and order, in turn. @param folder for the bundle. */
export async function measureCold(folder: string, rounds: number): Promise<Record<string, Times>> {
  await bundleModules([join(ROOT, 'test', 'bench', 'coldIteration.ts')], folder);
  const script = join(folder, 'coldIteration.js');
  const cloud = await openBench();
  const servers = await startServers();
  const gemini = await startScriptedModel({
    script: { conversations: [{ turns: [{ toolCalls: [{ name: 'bench.read' }] }, { text: 'Done.' }] }] },
  });
  const env = { ...process.env, GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'scripted' };
  const measured: Record<string, Times> = {};
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [name, server] of Object.entries(servers.transports)) {
        for (const sideBySide of round % 2 === 0 ? [true, false] : [false, true]) {
          const ids = await beginExecution(10, cloud.store);
          const options: ColdOptions = { ...ids, server, sideBySide, storeDelayMs: STORE_DELAY_MS };
          const run = promisify(execFile)(process.execPath, [script, JSON.stringify(options)], {
            cwd: ROOT,
            env,
          });
          const { ms, cpuMs } = JSON.parse((await run).stdout) as { ms: number; cpuMs: number };
          const key = `${name}, ${sideBySide ? 'side by side' : 'in order'}`;
          const { times = [], cpuTimes = [] } = measured[key] ?? {};
          measured[key] = { times: [...times, ms], cpuTimes: [...cpuTimes, cpuMs] };
        }
      }
    }
    return measured;
  } finally {
    servers.stop();
    await gemini.stop();
    await cloud.close();
  }
}
