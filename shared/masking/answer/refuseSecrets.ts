// Prevents secrets, their marks and the session's canary from leaving in an answer: in calls, addresses and
// the analysis. The rest of the answer stays, and an event describes each refusal.

import type { Interpretation } from '../../core/contract/controller.ts';
import type { Masker, SentWith } from '../../core/contract/guard.ts';
import type { LlmResponse } from '../../core/contract/llm.ts';
import { NOT_RUN } from '../../core/schema/block.ts';
import type { EventDraft } from '../../core/schema/timelineEvent.ts';
import { parseJson } from '../../text/json.ts';
import { rangeMover } from '../../text/moveRange.ts';
import { blockLinks, readSafeHost, withoutLoading } from '../links.ts';
import { maskData } from '../maskData.ts';
import { maskDisguisedSecrets, maskEncodedSecrets } from './maskEncodedSecrets.ts';
import { findLeakingCalls, listValueParts } from './secretsInCalls.ts';

/** A masked answer, and the refused parts so far, described for its reader. */
interface CheckedAnswer {
  /** The answer without the refused parts. */
  response: LlmResponse;
  /** One sentence per kind of refused part; empty for none. */
  refusals: string[];
}

/**
 * Removes the addresses of sources that would exfiltrate data. Reports searches and page reads that Google
 * has already done for the answer: they cannot be undone.
 */
export function refuseSources(response: LlmResponse, masker: Masker): CheckedAnswer {
  const isLeaking = (text: string) => masker.findLeak(text) !== undefined;
  let links = 0;
  const withoutUrl = <C extends { url?: string | undefined; title?: string | undefined }>(citation: C): C => {
    if (citation.url === undefined || !isLeaking(citation.url)) return citation;
    links++;
    const { url, ...rest } = citation;
    return { ...rest, title: blockedTitle(citation.title ?? '', readSafeHost(url, isLeaking)) } as C;
  };
  const groundings = response.groundings.map((grounding) => ({
    ...grounding,
    sources: grounding.sources.map((source) => {
      if (!isLeaking(source.uri)) return source;
      links++;
      return { ...source, uri: '', title: blockedTitle(source.title, readSafeHost(source.uri, isLeaking)) };
    }),
    citations: grounding.citations.map(withoutUrl),
  }));
  const citations = response.citations.map(withoutUrl);
  const searched = groundings.some(({ queries }) => queries.some(isLeaking));
  const read = groundings.some(({ statuses }) => statuses.some(({ uri }) => isLeaking(uri)));
  const refusals = [
    ...(searched ? [`A search that Google ran for this answer held ${WHAT}. It cannot be undone.`] : []),
    ...(read
      ? [`The address of a page that Google read for this answer held ${WHAT}. It cannot be undone.`]
      : []),
    ...(links > 0 ? [`${links} addresses of sources were left out: they held ${WHAT}.`] : []),
  ];
  return { response: links === 0 ? response : { ...response, groundings, citations }, refusals };
}

const WHAT = 'a secret, or the mark of one';

const blockedTitle = (title: string, host: string): string => `${title || host || 'a page'} (link blocked)`;

/**
 * Removes the parts of an interpreted answer that would exfiltrate data: calls get an error as their result,
 * addresses a placeholder; images and HTML in texts for people become inert. An `error` event `TAINT_BLOCKED`
 * reports each refusal.
 * @param answer.kindsInText the kinds of secrets that masking found in the text.
 * @param answer.refused the refused parts of a replayed answer.
 */
export function refuseSecrets(
  interpretation: Interpretation,
  answer: {
    refusals: readonly string[];
    kindsInText: readonly string[];
    refused?: LlmResponse['refused'] | undefined;
  },
  sent: SentWith & { masker: Masker },
): Interpretation {
  const { masker, iteration, conversation, failedResult } = sent;
  const { next } = interpretation;
  const { sentences, callIds = [] } = answer.refused ?? {};
  const calls = next.kind === 'call_tools' ? next.calls : [];
  const refused = calls.filter(({ callId }) => callIds.includes(callId));
  const leaking = [...new Set([...findLeakingCalls(calls, conversation, masker), ...refused])];
  const made = makeTextsSafe(interpretation, masker);
  const refusals = [
    ...answer.refusals,
    ...leaking.map(({ name }) => `${name} was not run: ${CALL_REASON}.`),
    ...(made.links > 0
      ? [`${made.links} links in the answer were taken out: their addresses held ${WHAT}.`]
      : []),
    ...(next.kind === 'conclude' && answer.kindsInText.length > 0
      ? [`The analysis held secrets (${answer.kindsInText.join(', ')}). They are masked in it.`]
      : []),
    ...(made.encoded
      ? ['The analysis held a secret in an encoded form or in pieces. The lines with it are masked.']
      : []),
  ];
  const errors = (sentences ?? refusals).map((content) => secretEvent(content, iteration));
  const analysisAt = made.events.findIndex(isConclusion);
  const events = made.events.toSpliced(analysisAt === -1 ? made.events.length : analysisAt, 0, ...errors);
  if (next.kind === 'conclude')
    return { ...interpretation, events, next: { ...next, analysis: made.analysis } };
  if (next.kind !== 'call_tools' || leaking.length === 0) return { ...interpretation, events };
  const results = leaking.map((call) =>
    failedResult(call, `${NOT_RUN} ${CALL_REASON}. Call it without, or conclude.`),
  );
  return {
    ...interpretation,
    events,
    next: { ...next, knownResults: [...(next.knownResults ?? []), ...results] },
  };
}

/** Why a leaking call does not run. */
export const CALL_REASON =
  'the arguments hold a secret (or complete one that earlier calls held in part), or the mark of one, and secrets leave no investigation';

/** The event of one refusal. */
export function secretEvent(content: string, iteration: number): EventDraft {
  return {
    eventType: 'error',
    status: 'failed',
    content,
    metadata: { code: 'TAINT_BLOCKED', retryable: false, recoverable: true, iteration },
  };
}

/** Makes the texts for people in the events, and the analysis, safe to show. */
function makeTextsSafe({ events, next }: Interpretation, masker: Masker) {
  let links = 0;
  const makeSafe = (text: string): string => {
    const found = blockLinks(text, (address) => masker.findLeak(address) !== undefined);
    links += found.count;
    return withoutLoading(found.text);
  };
  const conclusion = next.kind === 'conclude' ? maskDisguisedSecrets(next.analysis, masker) : undefined;
  const analysis = makeSafe(conclusion?.text ?? '');
  const safe = events.map((event): EventDraft => {
    if (event.eventType === 'final_analysis') {
      const { content: before, metadata } = event;
      // This event is the analysis, whose links are counted.
      const counted = links;
      const after = makeSafe(maskDisguisedSecrets(before, masker).text);
      const move = rangeMover({ before, after, change: makeSafePiece });
      const citations = metadata.citations.map(move);
      const output =
        metadata.output &&
        maskData(metadata.output, (text) => makeSafe(maskEncodedSecrets(text, masker).text));
      links = counted;
      return {
        ...event,
        content: after,
        metadata: { ...metadata, citations, ...(output !== undefined && outputOrFault(output, masker)) },
      };
    }
    if (event.eventType === 'executive_summary') return { ...event, content: analysis };
    if (event.eventType !== 'llm_response' && event.eventType !== 'llm_thinking') return event;
    return { ...event, content: makeSafe(event.content) };
  });
  const before = events.find(isAnswerText)?.content ?? '';
  const after = safe.find(isAnswerText)?.content ?? '';
  return {
    events: moveSupports(safe, { before, after }),
    analysis,
    links,
    encoded: conclusion?.hidden === true,
  };
}

/** Makes a masked text that is still streaming as safe as the events of a complete answer. */
export function safeText(text: string, masker: Masker): string {
  const { text: shown } = maskEncodedSecrets(text, masker);
  return withoutLoading(blockLinks(shown, (address) => masker.findLeak(address) !== undefined).text);
}

/** The structured answer, unless its texts hold a secret together that none holds on its own. */
function outputOrFault(
  output: string,
  masker: Masker,
): { output?: string | undefined; outputFault?: string } {
  const leak = masker.findLeak(listValueParts(parseJson(output), 'values').join(''));
  if (leak !== 'canary' && leak !== 'secret') return { output };
  return {
    output: undefined,
    outputFault: 'The answer held a secret in pieces, so only its text is kept.',
  };
}

const isConclusion = ({ eventType }: EventDraft): boolean =>
  eventType === 'final_analysis' || eventType === 'executive_summary';

const isAnswerText = (event: EventDraft): boolean =>
  isConclusion(event) || event.eventType === 'llm_response';

/** Pieces are searched unchanged: a changed piece is not found, and its offsets are removed. */
const makeSafePiece = (piece: string): string => piece;

/** Moves the offsets of supports to the visible text of the answer, as the events show it. */
function moveSupports(
  events: EventDraft[],
  { before, after }: { before: string; after: string },
): EventDraft[] {
  if (before === after) return events;
  const move = rangeMover({ before, after, change: makeSafePiece });
  return events.map((event): EventDraft => {
    if (event.eventType !== 'google_search_result' && event.eventType !== 'url_context_result') return event;
    const supports = event.metadata.supports.map(move);
    return { ...event, metadata: { ...event.metadata, supports } } as EventDraft;
  });
}
