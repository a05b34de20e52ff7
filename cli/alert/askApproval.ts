// Asks on the terminal for approval of tool calls, one after another, while their investigation is printed.

import { errorMessage } from '../../shared/core/errors.ts';
import type { TimelineEvent } from '../../shared/core/schema/timelineEvent.ts';
import type { ApiClient } from '../api/apiClient.ts';
import { decideCall } from '../api/decide.ts';
import { askQuestion as askTerminal, isYes, type Terminal } from '../process/ask.ts';

interface ApprovalAsker {
  /** Asks when an approval is requested, and stops asking when it is decided. Any other event is ignored. */
  event(event: TimelineEvent): void;
  /** Ends the open question. */
  close(): void;
}

/** Creates an asker that stores decisions through the API. */
export function createApprovalAsker(api: ApiClient, terminal: Terminal): ApprovalAsker {
  const open = new Map<string, AbortController>();
  let queue: Promise<void> = Promise.resolve();

  const ask = async (approvalId: string, { signal }: AbortController): Promise<void> => {
    if (signal.aborted) return;
    try {
      const question = '          Approve? [y/n, any other answer decides later] ';
      const answer = await askTerminal(question, terminal, signal);
      const verdict = isYes(answer) ? 'approved' : /^no?$/i.test(answer) ? 'denied' : undefined;
      if (verdict !== undefined) await decideCall(api, approvalId, { verdict });
    } catch (error) {
      if (!signal.aborted) terminal.output.write(`          ${errorMessage(error)}\n`);
    }
  };
  return {
    event(event) {
      if (event.eventType !== 'notice' || event.metadata.approvalId === undefined) return;
      const { approvalId, code } = event.metadata;
      open.get(approvalId)?.abort();
      if (code !== 'approval_requested') return;
      const question = new AbortController();
      open.set(approvalId, question);
      queue = queue.then(() => ask(approvalId, question));
    },
    close() {
      for (const question of open.values()) question.abort();
    },
  };
}
