// ExecutiveSummary: one model call about the result of a session. Its answer is cut to fit on a phone.

import { verdictWord } from '../../text/verdictWord.ts';
import type { Controller } from '../contract/controller.ts';
import { INCOMPLETE, MAX_SUMMARY_LINE, MAX_SUMMARY_LINES } from '../prompts/summaryLines.ts';
import { textMessage } from '../schema/textMessage.ts';
import { NO_ABILITIES } from './abilities.ts';
import { assistantMessage, eventsBeforeAnswer } from './drafts.ts';

/**
 * The controller of executive summaries. No agent of the configuration has it.
 * @param options.partial whether the investigation ended early. The summary then always notes it.
 * @param options.verdict of the session, the first word of the summary. Default: its claims were not checked.
 */
export function executiveSummary({ partial, verdict }: { partial: boolean; verdict?: string }): Controller {
  return {
    abilities: NO_ABILITIES,
    interactionType: 'executive_summary',
    loops: false,
    verbatim: false,

    request(conversation, { agent }) {
      return { model: agent.model, messages: conversation, tools: [], nativeTools: [] };
    },

    interpret(response) {
      const events = eventsBeforeAnswer(response);
      const message = assistantMessage(response);
      const lines = summaryLines(response.text);
      if (lines === '') {
        const reason = 'The answer held no line that fits, so there is no executive summary.';
        return {
          events,
          message,
          next: { kind: 'give_feedback', code: 'MODEL_EMPTY_ANSWER', reason, messages: [] },
        };
      }
      const isMarked = lines.toLowerCase().startsWith(INCOMPLETE.trim().toLowerCase());
      const marked = partial && !isMarked ? `${INCOMPLETE}${lines}` : lines;
      const content = verdict === undefined ? marked : `${verdictWord(verdict)}: ${marked}`;
      events.push({ eventType: 'executive_summary', content, metadata: {} });
      return { events, message, next: { kind: 'conclude', analysis: content } };
    },

    explainFailure: (reason) => textMessage('user', `Error from previous attempt: ${reason}`),
  };
}

/** A fence, a heading's mark or a bullet: people read plain text. */
const DECORATION = /^(?:`{3,}\S*|#{1,6}\s+|[-*•]\s+)/;

/**
 * The first four lines with content, each cut between words. A word is kept whole or omitted, because masking
 * cannot recognise half of an encoded secret.
 */
export function summaryLines(text: string): string {
  return text
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => cutBetweenWords(line.trim().replace(DECORATION, '').replaceAll('**', '').trim()))
    .filter((line) => line !== '')
    .slice(0, MAX_SUMMARY_LINES)
    .join('\n');
}

function cutBetweenWords(line: string): string {
  if (line.length <= MAX_SUMMARY_LINE) return line;
  const head = line.slice(0, MAX_SUMMARY_LINE);
  const end = head.search(/\s\S*$/);
  return end <= 0 ? '' : `${head.slice(0, end).trimEnd()} …`;
}
