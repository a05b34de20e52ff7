// Publishes an alert the way an alert source does, and follows its investigation.

import { readFile } from 'node:fs/promises';
import { TOPICS } from '../shared/contract/publisher.ts';
import type { Store } from '../shared/contract/store.ts';
import { sessionIdOf } from '../shared/runtime/session/sessionId.ts';
import { interactionType, paths } from '../shared/schema/documents.ts';
import type { Session } from '../shared/schema/session.ts';
import { openCloud } from '../shared/wiring/openCloud.ts';
import { followSession } from './follow.ts';
import type { Printer } from './printer.ts';

export interface PublishOptions {
  file: string;
  /** Printed as it grows; absent: publish and return. */
  printer?: Printer;
  /** The chain to run; the default one if absent. */
  chain?: string | undefined;
  /** Told where the investigation will be found, for people. */
  say: (line: string) => void;
  signal: AbortSignal;
}

/** Publishes the file's bytes; resolves with the ended session, or undefined when nobody follows it. */
export async function publishAlert(options: PublishOptions): Promise<Session | undefined> {
  const data = await readFile(options.file);
  if (data.length === 0) throw new Error(`${options.file} is empty; Pub/Sub takes no empty message`);
  const { store, publisher, where, close } = openCloud(process.env);
  try {
    const attributes: Record<string, string> = options.chain === undefined ? {} : { chain: options.chain };
    const messageId = await publisher.publish(TOPICS.alerts, data, attributes);
    const sessionId = sessionIdOf({ messageId, data });
    const { printer } = options;
    options.say(`published message ${messageId}, session ${sessionId}`);
    if (printer === undefined) return undefined;
    const session = await followSession(
      store,
      { sessionId, messageId },
      (event) => printer.event(event),
      options.signal,
    );
    const models = await modelsOf(store, sessionId);
    printer.end(session, `${paths.session(sessionId)} in ${where}`, models);
    return session;
  } finally {
    await close();
  }
}

/** The models that answered, as they named themselves. */
async function modelsOf(store: Store, sessionId: string): Promise<string[]> {
  const collection = `${paths.session(sessionId)}/interactions`;
  const interactions = await store.list({ collection }, interactionType);
  return [...new Set(interactions.flatMap(({ value }) => value.modelVersion ?? []))];
}
