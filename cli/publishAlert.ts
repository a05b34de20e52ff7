// Publishes an alert the way an alert source does, and follows its investigation.

import { readFile } from 'node:fs/promises';
import { readAlert } from '../shared/alerts/index.ts';
import { TOPICS } from '../shared/contract/publisher.ts';
import type { Store } from '../shared/contract/store.ts';
import { sessionIdOf } from '../shared/runtime/session/sessionId.ts';
import { interactionType, paths } from '../shared/schema/documents.ts';
import type { Session } from '../shared/schema/session.ts';
import { openCloud } from '../shared/wiring/openCloud.ts';
import { followSession } from './follow.ts';
import type { Printer } from './printer.ts';

/** What is published, and how it is followed. */
export interface PublishOptions {
  /** Path of the alert. */
  file: string;
  /** Prints the timeline as it grows. Absent: the investigation is not waited for. */
  printer?: Printer;
  /** The chain to run; the default one if absent. */
  chain?: string | undefined;
  /** Called with a line for people that names the session. */
  onProgress: (line: string) => void;
  /** Ends the wait. */
  signal: AbortSignal;
}

/**
 * Publishes the file's bytes to the system that the environment names.
 * @returns the ended session, or undefined without a printer.
 * @throws Error when the file cannot be read, is empty, or the alert was refused or is resolved, which opens no session; RetryableError `PUBLISH_FAILED` or
 *   `STORE_UNAVAILABLE`; the signal's reason when it aborts.
 */
export async function publishAlert(options: PublishOptions): Promise<Session | undefined> {
  const data = await readFile(options.file);
  if (data.length === 0) throw new Error(`${options.file} is empty; Pub/Sub takes no empty message`);
  const { store, publisher, where, close } = openCloud(process.env);
  try {
    const attributes: Record<string, string> = options.chain === undefined ? {} : { chain: options.chain };
    const messageId = await publisher.publish(TOPICS.alerts, data, attributes);
    const sessionId = sessionIdOf({ messageId, data });
    const { printer } = options;
    options.onProgress(`published message ${messageId}, session ${sessionId}`);
    if (printer === undefined) return undefined;
    const reading = readAlert(data);
    if (reading.ok && reading.alert.status === 'resolved') {
      throw new Error(
        `ALERT_RESOLVED: "${reading.alert.title}" says it is resolved; nothing is investigated`,
      );
    }
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
