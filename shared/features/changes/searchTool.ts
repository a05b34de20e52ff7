// The built-in tool `search_changes`. Its results are changes, which prove no cause by themselves.

import { locateAlert } from '../../alerts/resource.ts';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { changeLine, sourcesText } from '../../changes/block.ts';
import { AFTER_MS, rankChange, rankChanges } from '../../changes/rank.ts';
import { alertScopes, scopesOfName } from '../../changes/scopes.ts';
import type { ToolCall } from '../../core/contract/tools.ts';
import { errorMessage, InquestError } from '../../core/errors.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import {
  DEFAULT_SEARCH_LIMIT,
  MAX_CHANGE_HOURS,
  MAX_SEARCH_LIMIT,
  SEARCH_CHANGES_TOOL,
} from '../../core/prompts/builtInTools.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { type BuiltInAnswer, refuse } from '../../kits/agents/builtInAnswer.ts';
import { withBuiltInTools } from '../../kits/agents/builtInTools.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { listChangeSources, searchChanges } from './findChanges.ts';

const HOUR_MS = 3_600_000;

/** Offers the tool to agents that list it. */
export const CHANGE_SEARCH: Feature = {
  offerTools: (tools, context, { purpose }) =>
    purpose === 'ask' || purpose === 'run'
      ? withBuiltInTools(tools, context, [{ tool: SEARCH_CHANGES_TOOL, run: runSearch }])
      : tools,
};

async function runSearch(
  call: ToolCall,
  { held, deps }: IterationContext,
  signal: AbortSignal,
): Promise<BuiltInAnswer> {
  const {
    resource,
    hours = 24,
    words = '',
    limit = DEFAULT_SEARCH_LIMIT,
  } = parseCallArguments(call.arguments);
  if (!isWhole(hours, MAX_CHANGE_HOURS))
    return refuse(`"hours" must be a whole number from 1 to ${MAX_CHANGE_HOURS}.`);
  if (!isWhole(limit, MAX_SEARCH_LIMIT))
    return refuse(`"limit" must be a whole number from 1 to ${MAX_SEARCH_LIMIT}.`);
  if (typeof words !== 'string' || (resource !== undefined && typeof resource !== 'string'))
    return refuse('"resource" and "words" must be texts.');
  const { store, clock } = deps;
  try {
    const session = await store.get(paths.session(held.current().sessionId), sessionType);
    if (session === undefined) return refuse('The session was deleted, so nothing can be searched.');
    const { tenantId, createdAt } = session.value;
    const alert = readSessionAlert(session.value);
    const start = alert?.startedAt ?? createdAt;
    const since = new Date(start.getTime() - hours * HOUR_MS);
    const until = new Date(Math.min(clock.now().getTime(), start.getTime() + AFTER_MS));
    const search = { tenantId, scopes: scopesOfName(resource), since, until };
    const [{ changes, isCut }, sources] = await Promise.all([
      searchChanges(search, store),
      listChangeSources(tenantId, store),
    ]);
    const wanted = alert === null ? new Map() : alertScopes(locateAlert(alert), {});
    const found = changes
      .map(({ id, change }) => rankChange(id, change, { start, wanted }))
      .filter((ranked) => hasWords(changeLine(ranked), words));
    const shown = rankChanges(found, limit, Number.POSITIVE_INFINITY);
    const lines = shown.map((one, index) => `${index + 1}. ${changeLine(one)}`);
    const rest = found.length - shown.length;
    const head =
      lines.length === 0 ? [`No change is recorded in the ${hours} hours before the alert.`] : lines;
    const more = rest > 0 || isCut ? [`${isCut ? 'At least ' : ''}${rest} more changes are not shown.`] : [];
    const content = [...head, ...more, sourcesText(sources)].join('\n');
    return { content, isError: false, yields: 'change' };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof InquestError)) throw error;
    return {
      content: `Changes could not be searched: ${errorMessage(error)}`,
      isError: true,
      noAnswer: true,
    };
  }
}

const hasWords = (line: string, words: string): boolean =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => line.toLowerCase().includes(word));

const isWhole = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max;
