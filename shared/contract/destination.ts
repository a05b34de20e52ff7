// The port for the places where people get results (chat, webhooks, issues, e-mail), and the portable message
// that each of them renders. Adapters: shared/destinations/, one file for each kind.

import type { ProblemState } from '../text/problemWords.ts';
import type { DestinationKind } from './destinationSettings.ts';

/** The events that a message can report. */
export const DELIVERY_EVENTS = [
  /** A session was opened. */
  'opened',
  /** A tool call waits for approval. */
  'approval',
  /** The approval of a tool call was decided, expired, or ended with its execution. */
  'decided',
  /** An agent asks people a question, and goes on. */
  'asked',
  /** The state of a running session, as an edit of its first message. */
  'progress',
  /** A session completed. */
  'ended',
  /** A session failed, timed out or was cancelled. */
  'failed',
  /** An alert was stored and is not investigated yet. */
  'deferred',
  /** Alerts could not be read or opened no session because of an error: a count of them. */
  'rejected',
  /** The parts of a result that do not fit its first message. */
  'details',
  /** Whether the problem of a session ended. */
  'outcome',
  /** The source of the alert reports that its problem is over. */
  'resolved',
  /** An answer to a person in the thread. */
  'answer',
  /** A message about no session: a count of a storm, a digest, a destination that is out of order, a test. */
  'notice',
] as const;
/** The event that a message reports. */
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number];

/** The state that a message shows, for its color and its mark. */
export type MessageStatus =
  | 'running'
  | 'waiting'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'timed_out'
  | 'deferred'
  | 'notice';

/** A page. Its address is HTTPS or HTTP, and allowed where the dashboard would link it. */
export interface MessageLink {
  /** One line. */
  title: string;
  /** The address. */
  url: string;
}

/** A button. Destinations without `buttons` show only those that open a page, as links. */
export type MessageButton =
  | { action: 'open'; label: string; url: string }
  /** `value` names the destination, the approval and the digest of its call: at most 300 characters. */
  | { action: 'approve' | 'deny'; label: string; value: string };

/** A part of a result that is shown below the summary, or in the thread. */
export interface MessageSection {
  /** One line. */
  title: string;
  /** Text with lines separated by `\n`. Slack renders headings, strong text and code, others plain text. */
  text: string;
  /** Whether the text is code, such as the arguments of a call. */
  isCode: boolean;
}

/** A name and a value of one line. */
export interface MessageFact {
  /** At most 40 characters. */
  name: string;
  /** At most 200 characters. */
  value: string;
}

/**
 * A message before a destination renders it. Every text in it is plain text of others (alerts, models,
 * tools): secrets are masked, hidden characters are visible, and lengths are limited. A destination shows it
 * so that nothing in it is executed as markup, mentions no one, and becomes no link.
 */
export interface PortableMessage {
  /** The state of the work, for its color and its mark where there is no problem. */
  status: MessageStatus;
  /** The state of the problem: a badge of at most 80 characters, times in UTC. Null without an alert. */
  problem: { status: ProblemState['status']; text: string } | null;
  /** One line, at most 200 characters. */
  title: string;
  /** Service, namespace, cluster and project, in at most 300 characters; null if none is known. */
  location: string | null;
  /** The command to run now, exact and on one line, in at most 500 characters; null without one. */
  command: string | null;
  /** The certainty of the result, or the progress: at most 500 characters; null for other messages. */
  certainty: string | null;
  /** The whole message in one sentence of at most 300 characters: notifications, subjects, previews. */
  text: string;
  /** At most four lines, each at most 500 characters. */
  summary: string[];
  /** The cause in one sentence, at most 500 characters; null if none is known. */
  cause: string | null;
  /** The next step for people, at most 500 characters; null without one. */
  nextStep: string | null;
  /** Chain, severity, duration, and fields of structured answers: at most twelve. */
  facts: MessageFact[];
  /** Pages that support the result: at most ten. */
  evidence: MessageLink[];
  /** Longer parts: at most 20. A destination cuts those that exceed its limits, and names the page. */
  sections: MessageSection[];
  /** At most five. */
  buttons: MessageButton[];
  /** The page of the session, made from PUBLIC_URL; null without that setting or without a session. */
  link: string | null;
  /** Whether the same message can be there already; it is then marked "possibly repeated". */
  isRepeated: boolean;
}

/** The parts that a message can lack. */
export const NO_PARTS: Omit<PortableMessage, 'status' | 'title' | 'text' | 'link'> = {
  problem: null,
  location: null,
  command: null,
  certainty: null,
  summary: [],
  cause: null,
  nextStep: null,
  facts: [],
  evidence: [],
  sections: [],
  buttons: [],
  isRepeated: false,
};

/** The session that a message is about, for destinations that programs read. */
export interface MessageSession {
  /** Id of the session. */
  sessionId: string;
  /** The tenant that owns it. */
  tenantId: string;
  /** Its chain. */
  chain: string;
  /** Status of the session: `in_progress`, `completed`, … */
  status: string;
  /** Severity of its alert; null without one. */
  severity: string | null;
  /** The adapter of its alert: `alertmanager`; null for a chat. */
  source: string | null;
  /** The state of its problem when the message was made; null without an alert. */
  problem: ProblemState | null;
  createdAt: Date;
  endedAt: Date | null;
}

/** A message on its way to a destination. */
export interface OutgoingMessage {
  /**
   * The identity of the message: the same in all attempts, and in updates of it. Letters, digits, `.`, `_`,
   * `-` and `~`, at most 300. Two messages never share it.
   */
  id: string;
  /** The event that it reports. */
  event: DeliveryEvent;
  /** The reference of the message whose thread it belongs to; null for a message of its own. */
  thread: string | null;
  /** The place within the destination that `chooseThreadPlace` chose; null for its default. */
  place: string | null;
  /** The session; null for a `notice`. */
  session: MessageSession | null;
  /** The contents. */
  message: PortableMessage;
  /** When the event happened. */
  occurredAt: Date;
  /** When its first attempt started. A probe searches from then on. */
  firstSentAt: Date;
}

/** Why a message was not accepted. */
export interface DeliveryFailure {
  /**
   * A stable code: of the destination (`not_in_channel`), or `http_503`, `timeout`, `connection`. At most 60
   * characters.
   */
  code: string;
  /** The cause and its fix in one or two sentences, without secrets. At most 500 characters. */
  message: string;
}

/** The result of a request to a destination. */
export type SendResult =
  /**
   * Accepted. `ref` is the reference by which the message is updated and answered, at most 1,000 characters;
   * null if the destination gives none.
   */
  | { outcome: 'sent'; ref: string | null }
  /** Not accepted for certain, and can succeed later, after `retryAfterMs` if the destination named it. */
  | { outcome: 'retry'; failure: DeliveryFailure; retryAfterMs: number | null }
  /** Accepted or not: the answer was lost, or an error after acceptance is possible. */
  | { outcome: 'unknown'; failure: DeliveryFailure }
  /**
   * Not accepted, and no attempt will be. `isOnlyThis`: the reason is the message, so that it does not count
   * against the destination. `isLast`: the destination asks for no further messages.
   */
  | { outcome: 'refused'; failure: DeliveryFailure; isOnlyThis?: boolean; isLast?: boolean }
  /** Only for updates and replies: the message of the reference no longer exists. */
  | { outcome: 'gone'; failure: DeliveryFailure };

/** The result of the search for a message. */
export type ProbeResult =
  | { outcome: 'found'; ref: string | null }
  /** It is not visible now. It can become visible later. */
  | { outcome: 'absent' }
  /** Nothing is known. */
  | { outcome: 'failed'; failure: DeliveryFailure; retryAfterMs: number | null };

/** The account of a person, as the service of a destination names it. */
export interface ChatPerson {
  /** The id of the account: `U0123456789`, `users/123`. */
  userId: string;
  /** The workspace of the account that the request names; empty if it names none. */
  team: string;
}

/** The result of looking up a person. */
export type PersonResult =
  /** `email` was confirmed by the service. */
  | { outcome: 'found'; email: string }
  /** Not a person who can act: a bot, a guest, an account of others, an unconfirmed address. */
  | { outcome: 'refused'; failure: DeliveryFailure }
  /** Nothing is known; a later attempt can succeed. */
  | { outcome: 'failed'; failure: DeliveryFailure };

/** A file of a message in a chat. */
export interface ChatFile {
  /** One line. */
  name: string;
  /** Its text; null if it was not read, for the reason `note`. */
  text: string | null;
  note: string | null;
}

/** A message of a thread in a chat: text of others. */
export interface ChatMessage {
  /** Its reference. */
  ref: string;
  at: Date;
  /** The id of an account, or the name of an app of the own workspace. */
  author: { kind: 'person' | 'app'; name: string };
  text: string;
  files: ChatFile[];
}

/** The result of reading a thread. */
export type ThreadResult =
  /**
   * The message at `until` and at most 100 before it, in the order of time. `others`: how many earlier ones
   * were left out at least; null if only the oldest part of the thread was read.
   */
  | { outcome: 'found'; messages: ChatMessage[]; others: number | null }
  /** The destination does not let the app read it. */
  | { outcome: 'refused'; failure: DeliveryFailure }
  /** Nothing is known; a later attempt can succeed. */
  | { outcome: 'failed'; failure: DeliveryFailure };

/** The abilities of a kind of destination. */
export interface DestinationCapabilities {
  /** A sent message can be changed (`update`). */
  update: boolean;
  /** A message can belong to the thread of another message. */
  thread: boolean;
  /** Approvals can be decided there. */
  buttons: boolean;
  /** A message can be searched by its id (`probe`). */
  probe: boolean;
  /** The destination recognises a repeated message by its id, so that a repetition is never shown twice. */
  key: boolean;
  /**
   * Whether a message can be sent again after a doubt that neither probe nor key resolves: programs that
   * recognise `OutgoingMessage.id`. Where it is false the message stays unknown, and no program sends it
   * again.
   */
  isRepeatSafe: boolean;
  /** Every message belongs to a place named by its alert: a count of many has none. Default: false. */
  isPerAlert?: boolean;
}

/** One configured destination. */
export interface Destination {
  /** The kind of its settings. */
  kind: DestinationKind;
  /** Its abilities. */
  capabilities: DestinationCapabilities;
  /** Maximum milliseconds of a request: after them, a request without an answer counts as lost. */
  timeoutMs: number;
  /** The least time between two new messages in one place, in milliseconds. Absent: none. */
  paceMs?: number;
  /**
   * The delays between attempts that fail with `retry`, in milliseconds; after the last of them the message
   * has failed. Absent: the delays of shared/features/deliveries.
   */
  retryDelaysMs?: readonly number[];
  /**
   * The place for a session by the labels of its alert, such as a channel, within the settings' allow-list;
   * null for the default place. Absent: there is one place.
   */
  placeOf?(labels: Readonly<Record<string, string>>): string | null;
  /** Sends a message. Never throws. */
  send(outgoing: OutgoingMessage): Promise<SendResult>;
  /** Replaces the message at `ref`. Needed for `capabilities.update`. Never throws. */
  update?(ref: string, outgoing: OutgoingMessage): Promise<SendResult>;
  /** Searches the message by its id. Needed for `capabilities.probe`. Never throws. */
  probe?(outgoing: OutgoingMessage): Promise<ProbeResult>;
  /** Looks up the person of an account. Needed for `capabilities.buttons`. Never throws. */
  personOf?(person: ChatPerson): Promise<PersonResult>;
  /** The id of the message at `ref`; null without one. Absent: no answers to threads. Never throws. */
  idAt?(
    ref: string,
  ): Promise<{ outcome: 'found'; id: string | null } | { outcome: 'failed'; failure: DeliveryFailure }>;
  /** Whether the message at `ref` is in a place of this destination. Needed for `asks` of its entry. */
  hasPlace?(ref: string): boolean;
  /**
   * Reads the thread of the message at `ref` up to the message at `until`. Needed for `asks`. Never throws.
   */
  readThread?(ref: string, until: string): Promise<ThreadResult>;
  /**
   * Shows a text to one person only, beside the message at `ref`. A failure is ignored: it can be shown
   * twice, or never. Never throws.
   */
  notifyPerson?(person: ChatPerson, ref: string, text: string): Promise<void>;
  /** The message as it would be sent: JSON, or text. Sends nothing. */
  preview?(outgoing: OutgoingMessage): unknown;
  /** Asks the destination whether its settings work, without a message. Returns problems with fixes. */
  check?(): Promise<DeliveryFailure[]>;
}

/** Makes the destination of one entry of destinations.yaml. Loads its package only when it is called. */
export type CreateDestination<S> = (settings: S, name: string) => Promise<Destination>;

/**
 * Gives the destination of a name.
 * @returns undefined for a name that destinations.yaml does not have.
 */
export type FindDestination = (name: string) => Promise<ConfiguredDestination | undefined>;

/** A destination, and the rules of its entry that do not depend on its kind. */
export interface ConfiguredDestination {
  destination: Destination;
  /** The tenants whose sessions it can show. */
  tenants: readonly string[];
  /** After a first message that is unknown: whether results and approvals are sent as a new message. */
  onDoubt: 'repeat' | 'hold';
  /** The fields of structured answers that messages about a result show, in their order. Absent: none. */
  fields?: readonly string[] | undefined;
  /** The chain that answers mentions in its places. Absent: a mention opens no session. */
  asks?: { chain: string } | undefined;
}
