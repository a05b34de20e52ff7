// The tools of a replay that asks models: recorded answers, and for calls that have none the real servers, if
// that is wanted. Calls with side effects never reach a server.

import type { ConnectedSource, ToolOutcome, ToolSource } from '../../core/contract/tools.ts';
import { type CallCounts, type createAnswers, isForContrast, NOT_RECORDED } from '../caseTools.ts';
import { appendJsonLine, readJsonLines } from '../jsonLines.ts';

/** How calls are answered. */
export const TOOL_MODES = ['recorded', 'live', 'recorded-then-live'] as const;
/** How calls are answered. */
export type ToolMode = (typeof TOOL_MODES)[number];

/** The answer to a call that would change something. */
const NOT_EXECUTED: ToolOutcome = {
  content: 'Not executed: a replay runs no call that can change something, and this one is not recorded.',
  isError: true,
  timedOut: false,
};

/** The settings of `liveSources`. */
interface LiveOptions {
  /** Answers a call as recorded; undefined if it cannot. */
  recorded: ReturnType<typeof createAnswers>;
  /** Takes secrets out of the answers of servers. */
  mask: (text: string) => string;
  /** Counts the calls. */
  counts: CallCounts;
  /** Stores answers of servers for a resumed replay. A line that a crash cut off is left out. */
  file: string;
  mode: Exclude<ToolMode, 'recorded'>;
}

/** The sources of a configuration as a replay uses them. */
export function liveSources(
  sources: readonly ToolSource[],
  { recorded, mask, counts, file, mode }: LiveOptions,
): ToolSource[] {
  const stored = new Map(
    readJsonLines<{ key: string; outcome: ToolOutcome }>(file).map(({ key, outcome }) => [key, outcome]),
  );
  const seen = new Map<string, number>();
  const answer = async (
    connected: ConnectedSource,
    ...[call, options]: Parameters<ConnectedSource['call']>
  ) => {
    const isReadOnly = connected.tools.find(({ name }) => name === call.name)?.readOnly === true;
    const isRecorded = mode !== 'live' || !isReadOnly;
    const known = isRecorded ? recorded(call, options) : undefined;
    if (known !== undefined) return known;
    if (!isReadOnly) return NOT_EXECUTED;
    const isContrast = isForContrast(call, options);
    if (isRecorded && isContrast) return NOT_RECORDED;
    if (isRecorded) counts.unrecorded.pop();
    else if (!isContrast) counts.calls++;
    const nth = (seen.get(`${call.name} ${call.arguments}`) ?? 0) + 1;
    seen.set(`${call.name} ${call.arguments}`, nth);
    const key = `${nth} ${call.name} ${call.arguments}`;
    const before = stored.get(key);
    if (before !== undefined) return before;
    const answered = await connected.call(call, options);
    const outcome = { ...answered, content: mask(answered.content) };
    appendJsonLine(file, { key, outcome });
    return outcome;
  };
  return sources.map((source) => ({
    ...source,
    name: source.name,
    async connect(signal, options) {
      const connected = await source.connect(signal, options);
      return {
        ...connected,
        call: (call, callOptions) => answer(connected, call, callOptions),
      };
    },
  }));
}
