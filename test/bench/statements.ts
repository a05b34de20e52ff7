// The check of an analysis at the end of a long session: processor time of its index and of its statements.

import { createStatementCheck } from '../../shared/evidence/statement.ts';

const RESULTS = 200;
const LENGTH = 20_000;
const STATEMENTS = 80;

/** Objects, a table, samples, lines of JSON and a usual log, in turns; no two are equal. */
const KINDS: readonly ((id: string) => string)[] = [
  (id) => `apiVersion: v1
kind: Pod
metadata:
  creationTimestamp: "2026-11-17T0${id.length}:12:41Z"
  name: checkout-${id}-x2kqp
  namespace: shop
status:
  containerStatuses:
  - name: app
    restartCount: ${id.length + 3}
    lastState:
      terminated:
        exitCode: 137
        finishedAt: "2026-11-17T09:36:0${id.length}Z"
        reason: OOMKilled
---
`,
  (id) =>
    `shop   v1   Pod   cart-${id}-8fjtm   1/1   Running   ${id.length} (4m ago)   12d   10.64.1.5   n1\n`,
  (id) =>
    `{"metric":{"__name__":"request_duration_ms","pod":"cart-${id}"},"values":[[1795165260,"${id.length}2.5"],[1795165320,"14.${id}"]]}\n`,
  (id) =>
    `{"severity":"INFO","time":"2026-11-17T09:3${id.length}:00Z","message":"order ${id} placed","latencyMs":${id}}\n`,
];

function resultOf(index: number): string {
  const make = KINDS[index % KINDS.length];
  let text = '';
  for (let part = 0; text.length < LENGTH; part++) text += make?.(`${index}${part}`) ?? '';
  return text.slice(0, LENGTH);
}

const processorMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return Math.round((user + system) / 1_000);
};

/** Prints the processor time of five checks. */
export function measureStatements(): void {
  const sources = Array.from({ length: RESULTS }, (_, index) => ({
    id: `a.r${index}`,
    text: resultOf(index),
  }));
  const sentence = (n: number) =>
    `- The pod checkout-${n}0-x2kqp was killed at 09:36:0${n % 10} after ${n} restarts, latency rose from ${n}2.5 ms to ${n + 700} ms and node n${n} is ready.\n`;
  const analysis = Array.from({ length: STATEMENTS }, (_, n) => sentence(n)).join('');
  for (let run = 1; run <= 5; run++) {
    const start = process.cpuUsage();
    const check = createStatementCheck(sources, 'CheckoutErrors: 5 % of the requests fail');
    const index = processorMs(start);
    const found = check(analysis).length;
    console.log(
      `check ${run}: ${processorMs(start)} ms of processor time, ${index} of it for the index of ${RESULTS} results of ${LENGTH / 1_000} kB; ${found} values of ${STATEMENTS} statements`,
    );
  }
}
