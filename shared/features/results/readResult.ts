// The built-in tool `read_result`: searches stored results of an execution, or shows lines of them.

import { RE2JS } from 're2js';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import type { Store } from '../../core/contract/store.ts';
import type { ToolCall, ToolExecutor, ToolResult } from '../../core/contract/tools.ts';
import { errorMessage, InquestError, TerminalError } from '../../core/errors.ts';
import { paths, resultPartType, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { resultPartId } from '../../core/schema/ids.ts';
import type { StoredResult } from '../../core/schema/storedResult.ts';
import { messageAt } from '../../kits/views/chat/lookupMessage.ts';
import { parseMessageKey } from '../../kits/views/chat/messageKey.ts';
import { DEFAULT_CONTEXT, MAX_CONTEXT, READ_RESULT, READ_RESULT_TOOL } from '../../prompt/largeResult.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { quoteText } from '../../text/cut.ts';
import { limitText } from '../../text/limitText.ts';
import { countLines } from './lines.ts';
import { type LineRange, pageLines, type Search, searchLines } from './pageText.ts';

/** Maximum length of a search pattern, in characters. */
const MAX_PATTERN = 500;
/** Maximum number of results that an error names. */
const MAX_NAMED = 20;
/** Bytes reserved for the text around the lines. */
const NOTE_BYTES = 300;
const LINES = /^\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?$/;

/** A readable result, and the number of its message. */
interface CutResult extends StoredResult {
  /** Sequence number of the message that shows a part of the result. */
  message: number;
  /** `server.tool` */
  toolName: string;
}

interface ReadableText extends Pick<StoredResult, 'id' | 'lines'> {
  /** The source of the text: the tool of a result. */
  toolName: string;
  /** @throws InquestError when it cannot be read. */
  read(): Promise<string>;
}

/**
 * Adds `read_result` to an executor that has tools, from the first request on, so that the list of tools at
 * the start of a request does not change when a result is cut. Only results of the same execution can be
 * read.
 * @param conversation names the stored results.
 */
export function withReadResult<E extends ToolExecutor>(
  executor: E,
  conversation: readonly ConversationMessage[],
  execution: Execution,
  store: Store,
): E {
  let known: ReadonlyMap<string, CutResult> | undefined;
  /** Reads the conversation only on demand: most iterations need no stored result. */
  const results = () => (known ??= readableResults(conversation));
  /** Cache of one iteration: several calls about one result read it once. */
  const texts = new Map<string, Promise<string>>();
  const read = (result: CutResult): Promise<string> => {
    const text = texts.get(result.id) ?? loadCutText(result, execution, store);
    texts.set(result.id, text);
    return text;
  };
  const find = async (id: string): Promise<ReadableText | undefined> => {
    const result = results().get(id.toLowerCase());
    if (result !== undefined) return { ...result, read: () => read(result) };
    return findMessage(id, execution, store);
  };
  return {
    ...executor,
    list() {
      const tools = executor.list();
      return tools.length === 0 ? tools : [...tools, READ_RESULT_TOOL];
    },
    async execute(call, options) {
      if (call.name !== READ_RESULT) return executor.execute(call, options);
      options.signal.throwIfAborted();
      const startedAt = performance.now();
      const answer = await answerReadCall(call, results(), find, options.maxResultBytes);
      return {
        callId: call.callId,
        name: call.name,
        ...limitText(answer.content, options.maxResultBytes),
        isError: answer.isError,
        durationMs: Math.round(performance.now() - startedAt),
        timedOut: false,
        ...(answer.noAnswer && { noAnswer: true }),
        // The tool that returned the whole result has counted.
        yields: 'state',
      };
    },
  };
}

type Answer = Pick<ToolResult, 'content' | 'isError' | 'noAnswer'>;

const refuseReading = (content: string): Answer => ({ content, isError: true });

async function answerReadCall(
  call: ToolCall,
  results: ReadonlyMap<string, CutResult>,
  find: (id: string) => Promise<ReadableText | undefined>,
  maxBytes: number,
): Promise<Answer> {
  const { id, grep, lines, context = DEFAULT_CONTEXT } = parseCallArguments(call.arguments);
  const name = typeof id === 'string' ? id.trim() : '';
  try {
    const text = await find(name);
    if (text === undefined) return refuseReading(unknownResult(id, results));
    const range = parseLineRange(lines, text);
    if (typeof range === 'string') return refuseReading(range);
    if (grep === undefined && lines === undefined)
      return refuseReading(
        'Give grep, to search the result, or lines such as 120-180, to read some of it, or both.',
      );
    if (grep !== undefined && (typeof grep !== 'string' || grep === '' || grep.length > MAX_PATTERN))
      return refuseReading(
        `"grep" must be a text or a regular expression of 1 to ${MAX_PATTERN} characters.`,
      );
    if (!isContext(context))
      return refuseReading(`"context" must be a whole number from 0 to ${MAX_CONTEXT}.`);
    const whole = await text.read();
    const room = Math.max(0, maxBytes - NOTE_BYTES);
    const content =
      grep === undefined
        ? showPage(text, whole, range, room)
        : showMatches(text, whole, grep, context, range, room);
    return { content, isError: false };
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    return {
      content: `${quoteText(name, 80)} could not be read: ${errorMessage(error)}`,
      isError: true,
      noAnswer: true,
    };
  }
}

/** A question or an answer of the execution's own session, by the key in its shortened form. */
async function findMessage(
  key: string,
  { sessionId }: Pick<Execution, 'sessionId'>,
  store: Store,
): Promise<ReadableText | undefined> {
  const parsed = parseMessageKey(key);
  if (parsed?.sessionId !== sessionId) return undefined;
  const session = await store.get(paths.session(sessionId), sessionType);
  const message = session && (await messageAt(session.value, parsed.index, store));
  if (message === undefined) return undefined;
  const { text, role } = message;
  const toolName = role === 'user' ? 'a question' : 'an answer';
  return { id: key, lines: countLines(text), toolName, read: async () => text };
}

function isContext(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_CONTEXT;
}

/** The range of the `lines` argument, or an error. */
function parseLineRange(lines: unknown, { id, lines: count }: ReadableText): LineRange | string {
  if (lines === undefined) return { from: 1, to: count };
  const [, first, last = first] = LINES.exec(String(lines)) ?? [];
  if (first === undefined) return '"lines" must be one number or two with a hyphen between them: 120-180.';
  const [from, to] = [Number(first), Number(last)];
  if (from < 1 || to < from)
    return '"lines" must start at 1 or later and must not end before its start: 120-180.';
  if (from > count) return `${id} has ${count} lines; "lines" starts after the last one.`;
  return { from, to: Math.min(to, count) };
}

function showPage(
  { id, toolName, lines }: ReadableText,
  text: string,
  range: LineRange,
  maxBytes: number,
): string {
  const { text: shown, next } = pageLines(text, range, maxBytes);
  const last = next === undefined ? range.to : next - 1;
  const more = next === undefined ? '' : ` There was no room for more; go on with lines ${next}-${range.to}.`;
  return `[${id} of ${toolName}: lines ${range.from} to ${last} of ${lines}.${more}]\n${shown}`;
}

function showMatches(
  { id, toolName, lines }: ReadableText,
  text: string,
  grep: string,
  context: number,
  range: LineRange,
  maxBytes: number,
): string {
  const {
    found,
    text: shown,
    next,
    stoppedAt,
  } = searchLines(text, { ...createLineMatcher(grep), context, range }, maxBytes);
  const where =
    range.from === 1 && range.to === lines
      ? `${lines} lines`
      : `lines ${range.from} to ${range.to} of ${lines}`;
  const notes = [
    `${id} of ${toolName}: ${found} of its ${where} ${found === 1 ? 'is' : 'are'} found.`,
    ...(next === undefined ? [] : [`There was no room for all; go on with lines ${next}-${range.to}.`]),
    ...(stoppedAt === undefined
      ? []
      : [
          `The search took too much work and stopped; go on with lines ${stoppedAt}-${range.to}, or search for a simpler pattern.`,
        ]),
  ];
  return [`[${notes.join(' ')}]`, ...(shown === '' ? [] : [shown])].join('\n');
}

/** Matches a line that contains the text literally, or that matches it as an RE2 pattern. */
function createLineMatcher(grep: string): Pick<Search, 'matches' | 'cost'> {
  const holds = (line: string) => line.includes(grep);
  try {
    const pattern = RE2JS.compile(grep);
    return { matches: (line) => holds(line) || pattern.test(line), cost: pattern.programSize() };
  } catch {
    return { matches: holds, cost: 1 };
  }
}

function unknownResult(id: unknown, results: ReadonlyMap<string, CutResult>): string {
  const problem =
    typeof id === 'string' ? `There is no stored result "${quoteText(id, 40)}".` : '"id" is missing.';
  if (results.size === 0) return `${problem} No result of yours was cut so far, so there is none to read.`;
  const named = [...results.values()].slice(-MAX_NAMED).map((one) => `${one.id} (${one.toolName})`);
  return `${problem} Stored results: ${named.join(', ')}.`;
}

/** The stored results that a conversation names, by id. */
function readableResults(conversation: readonly ConversationMessage[]): Map<string, CutResult> {
  const results = new Map<string, CutResult>();
  for (const block of conversation.flatMap(({ blocks }) => blocks)) {
    if (block.blockType !== 'tool_result' || block.stored === undefined) continue;
    const { stored, toolName } = block;
    results.set(stored.id, { ...stored, toolName, message: Number(stored.id.slice(1)) });
  }
  return results;
}

/** @throws TerminalError `DOCUMENT_INVALID` when parts are missing; as `Store.list`. */
async function loadCutText(
  { id, message, firstPart, parts, toolName }: CutResult,
  { sessionId, executionId }: Execution,
  store: Store,
): Promise<string> {
  const from = resultPartId(executionId, message, firstPart);
  const to = resultPartId(executionId, message, firstPart + parts - 1);
  const found = await store.list(
    { collection: paths.results(sessionId), idRange: { from, to } },
    resultPartType,
  );
  if (found.length !== parts) {
    const reason = `${found.length} of the ${parts} parts of ${id} (${toolName}) are stored`;
    throw new TerminalError('DOCUMENT_INVALID', reason);
  }
  return found.map(({ value }) => value.text).join('');
}
