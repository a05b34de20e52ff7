// Engines in memory for tests, with scripts in the place of models.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { messageType, paths } from '../lists/documents.ts';
import { createLogger } from '../log.ts';
import {
  type Agents,
  type DurableOptions,
  durable,
  inProcess,
  type Model,
  memory,
  type Store,
  script,
} from './engine.ts';
import type { RunEvent } from './followRun.ts';

export type Turn = { text: string } | { toolCalls: { name: string; args?: object }[] };

/** Makes models that answer with turns. Each test file calls it once; its end removes the scripts. */
export function writeScripts(): (...turns: Turn[]) => Model {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-engine-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  return (...turns) => {
    const file = join(folder, `${++files}.json`);
    writeFileSync(file, JSON.stringify({ conversations: [{ turns }] }));
    return script(file);
  };
}

/** The turn that calls a tool. */
export const callTool = (name: string, args: object = {}): Turn => ({ toolCalls: [{ name, args }] });

/** The turn that calls a tool in code. */
export const call = (name: string, args: object = {}): Turn => callTool(`code.${name}`, args);

export const done: Turn = { text: 'Done.' };

/** An engine, which the end of the test closes. */
export function open(options: Partial<DurableOptions> = {}): Agents {
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const agents = durable({ store: memory(), queue: inProcess({ pauseMs: 1 }), log, ...options });
  onTestFinished(() => agents.close());
  return agents;
}

export async function collect(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export const read = (events: RunEvent[]): string[] =>
  events.map(({ eventType, content }) => `${eventType}: ${content}`);

/** The messages of an execution, as JSON. */
export async function readMessages(store: Store, run: string, executionId: string): Promise<string[]> {
  const messages = await store.list({ collection: paths.messages(run) }, messageType);
  return messages
    .filter(({ value }) => value.executionId === executionId)
    .map(({ value: { role, blocks } }) => JSON.stringify({ role, blocks }));
}

/** Waits for the first event of a run that a notice with this code announces. */
export async function awaitNotice(agents: Agents, id: string, code: string): Promise<RunEvent> {
  for await (const event of agents.events(id))
    if (event.eventType === 'notice' && event.metadata.code === code) return event;
  throw new Error(`the run ended without ${code}`);
}
