// Appends the CPU seconds of each test file, with children, to INQUEST_CPU_LOG's file.

import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

/** CPU-seconds of this process and of its children that have ended, from Linux's `/proc`. */
function measureCpuSeconds(): { own: number; children: number } {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = ticks;
  return { own: (user + system) / 100, children: (childUser + childSystem) / 100 };
}

const log = process.env.INQUEST_CPU_LOG;
if (log !== undefined) {
  const before = measureCpuSeconds();
  const started = Date.now();
  afterAll(() => {
    const after = measureCpuSeconds();
    const own = after.own - before.own;
    const children = after.children - before.children;
    const file = expect.getState().testPath?.replace(`${process.cwd()}/`, '');
    const line = {
      file,
      cpu: own + children,
      own,
      children,
      wall: (Date.now() - started) / 1000,
      store: process.env.INQUEST_TEST_STORE,
    };
    appendFileSync(log, `${JSON.stringify(line)}\n`);
  });
}
