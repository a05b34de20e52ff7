// The port for mentions of the app outside of the threads of sessions: `deliver` hands them to a feature.

import type { ChatPerson, FindDestination } from '../../contract/destination.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import type { FindMember } from './checkPerson.ts';

/** A mention, as its service names it. */
export interface Mention {
  /** The text without secrets. */
  text: string;
  /** The reference of the first message of its thread; its own without a thread. */
  thread: string;
  /** Its own reference. */
  message: string;
  person: ChatPerson;
  /** The destinations whose app sent it. */
  destinations: readonly string[];
}

/** The result of a press or a mention: a code, and the text for the person where no message shows it. */
export interface InboxResult {
  outcome: string;
  /** The destination of the message; undefined for a request that names none of the app. */
  destination: string | undefined;
  reason: string | null;
}

/** The dependencies of taking a mention. */
export interface MentionDeps
  extends Pick<StateDeps, 'store' | 'clock' | 'publisher' | 'log'>,
    Pick<AlertDeps, 'maskerFor'> {
  destinations: FindDestination;
  memberOf: FindMember;
  /** A unique id, for the key of a masker. */
  newId(): string;
}

/** Takes mentions outside of the threads of sessions. */
export interface MentionTaker {
  /**
   * The session that an earlier mention opened in a thread; undefined if none did.
   * @throws RetryableError when the store fails, or the session is not opened yet.
   */
  find(
    mention: Mention,
    deps: Pick<MentionDeps, 'store'>,
  ): Promise<{ sessionId: string; destination: string } | undefined>;
  /**
   * Handles the mention; undefined if it is none of its own. It is called again after a death.
   * @throws RetryableError when it must be handled later.
   */
  take(mention: Mention, deps: MentionDeps): Promise<InboxResult | undefined>;
}
