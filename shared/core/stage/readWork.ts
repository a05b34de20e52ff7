// Reads the work of an agent back from its timeline, for a synthesis or for the record of an early end. Every
// read is bounded.

import { limitHead } from '../../text/limitText.ts';
import type { Store } from '../contract/store.ts';
import { captureFailure } from '../kernel/documents/reading.ts';
import { messageType, paths, timelineEventType } from '../schema/coreDocuments.ts';
import type { DocumentType } from '../schema/documentType.ts';
import type { Execution } from '../schema/execution.ts';
import { numberedId } from '../schema/ids.ts';
import type { Message } from '../schema/message.ts';
import type { TimelineEvent } from '../schema/timelineEvent.ts';
import { type AgentWork, collectWork } from './agentWork.ts';

/** Documents of one read. An event holds up to 400 kB, and a page is in memory at once. */
const PAGE_SIZE = 25;
/** The newest events that are read; an agent with 20 iterations has fewer. */
const MAX_EVENTS = 200;
/** The newest messages searched for the agent's last words: an answer can have 64 results. */
const MAX_MESSAGES = 75;
/** Bytes of an agent's last words. */
const MAX_WORDS_BYTES = 4_000;
/** Events of an execution whose own document cannot be read. */
const MAX_EVENTS_OF_UNKNOWN = 100;

type WorkSource = Pick<Execution, 'sessionId' | 'executionId' | 'lastEvent' | 'lastMessage'>;

/**
 * The work of an execution, from at most its newest 200 events. Permanently unreadable documents are left out
 * and counted.
 * @throws RetryableError when the store fails, and for documents of newer code.
 */
export async function readWork(source: WorkSource, store: Store): Promise<AgentWork> {
  const work = await readSteps(source, store);
  return { ...work, lastWords: (await lastText(source, store)) ?? work.lastWords };
}

/** The work of an execution like `readWork`, without its messages: its last words are those of its events. */
export async function readSteps(
  { sessionId, executionId, lastEvent }: WorkSource,
  store: Store,
): Promise<AgentWork> {
  const first = Math.max(1, lastEvent - MAX_EVENTS + 1);
  const collected = collectWork();
  let found = 0;
  for (let from = first; from <= lastEvent; from += PAGE_SIZE) {
    const to = Math.min(lastEvent, from + PAGE_SIZE - 1);
    const page = await readPage(store, executionEvents(sessionId, executionId), { from, to });
    for (const event of page) collected.add(event);
    found += page.length;
  }
  return collected.work(lastEvent - found);
}

/**
 * The work of an execution whose document cannot be read: its first 100 events, because the number of its
 * last event is unknown.
 */
export async function readWorkOfUnknown(
  sessionId: string,
  executionId: string,
  store: Store,
): Promise<AgentWork> {
  const collected = collectWork();
  for (let from = 1; from <= MAX_EVENTS_OF_UNKNOWN; from += PAGE_SIZE) {
    const to = from + PAGE_SIZE - 1;
    const page = await readPage(store, executionEvents(sessionId, executionId), { from, to });
    for (const event of page) collected.add(event);
    if (page.length < PAGE_SIZE) break;
  }
  return collected.work(0);
}

/** The text of the newest answer that has one; undefined when there is none among the newest messages. */
async function lastText(source: WorkSource, store: Store): Promise<string | undefined> {
  const { sessionId, executionId, lastMessage } = source;
  const last = Math.max(1, lastMessage - MAX_MESSAGES + 1);
  for (let to = lastMessage; to >= last; to -= PAGE_SIZE) {
    const from = Math.max(last, to - PAGE_SIZE + 1);
    const page = await readPage(store, executionMessages(sessionId, executionId), { from, to });
    const text = page
      .toReversed()
      .map(textOfAnswer)
      .find((words) => words !== '');
    if (text !== undefined) return text;
  }
  return undefined;
}

function textOfAnswer({ role, blocks }: Message): string {
  if (role !== 'assistant') return '';
  const texts = blocks.flatMap((block) => (block.blockType === 'text' ? [block.textContent] : []));
  return limitHead(texts.join('').trim(), MAX_WORDS_BYTES);
}

/** A numbered collection of an execution. */
interface Numbered<T> {
  /** Path of the collection. */
  collection: string;
  /** The type of its documents. */
  type: DocumentType<T>;
  /** The id of the document with this number, from 1. */
  idOf(number: number): string;
}

function executionEvents(sessionId: string, executionId: string): Numbered<TimelineEvent> {
  const idOf = (number: number) => numberedId(executionId, number);
  return { collection: paths.timeline(sessionId), type: timelineEventType, idOf };
}

function executionMessages(sessionId: string, executionId: string): Numbered<Message> {
  const idOf = (number: number) => numberedId(executionId, number);
  return { collection: paths.messages(sessionId), type: messageType, idOf };
}

/** The readable documents of a page, in order. A broken document costs the page one read per document. */
async function readPage<T>(
  store: Store,
  { collection, type, idOf }: Numbered<T>,
  { from, to }: { from: number; to: number },
): Promise<T[]> {
  const idRange = { from: idOf(from), to: idOf(to) };
  const page = await captureFailure(store.list({ collection, idRange }, type));
  if (page.failure === undefined) return page.value.map(({ value }) => value);
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const readings = await Promise.all(
    numbers.map((number) => captureFailure(store.get(`${collection}/${idOf(number)}`, type))),
  );
  return readings.flatMap(({ value }) => value?.value ?? []);
}
