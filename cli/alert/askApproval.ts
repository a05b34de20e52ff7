// Asks on the terminal for approval of tool calls, one after another, while their investigation is printed.

import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { errorMessage } from '../../shared/errors.ts';
import { createLogger } from '../../shared/log.ts';
import { knownSecrets } from '../../shared/masking/knownSecrets.ts';
import {
  type ApprovalDecision,
  decideApproval,
} from '../../shared/runtime/features/approval/decideApproval.ts';
import { systemClock } from '../../shared/runtime/kernel/deps.ts';
import { createMaskers } from '../../shared/runtime/kernel/maskers.ts';
import type { TimelineEvent } from '../../shared/schema/timelineEvent.ts';
import type { Cloud } from '../../shared/wiring/openCloud.ts';
import { describeOutcome } from '../api/steering.ts';

/** An interactive terminal. */
export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** Asks about the approvals of one investigation. */
export interface ApprovalAsker {
  /** Asks when an approval is requested, and stops asking when it is decided. Any other event is ignored. */
  event(event: TimelineEvent): void;
  /** Ends the open question. */
  close(): void;
}

/** Creates an asker that stores decisions in `cloud`, in the name of the user of this machine. */
export function createApprovalAsker(
  { store, publisher }: Pick<Cloud, 'store' | 'publisher'>,
  { input, output }: Terminal,
): ApprovalAsker {
  const open = new Map<string, AbortController>();
  let queue: Promise<void> = Promise.resolve();
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const maskerFor = createMaskers({ known: knownSecrets(process.env) });

  const ask = async (approvalId: string, { signal }: AbortController): Promise<void> => {
    if (signal.aborted) return;
    const reader = createInterface({ input, output });
    // readline intercepts Ctrl-C on its terminal.
    reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    try {
      const answer = await reader.question('          Approve? [y/n, any other answer decides later] ', {
        signal,
      });
      const verdict = /^y(es)?$/i.test(answer.trim())
        ? 'approved'
        : /^no?$/i.test(answer.trim())
          ? 'denied'
          : undefined;
      if (verdict === undefined) return;
      const decision: ApprovalDecision = { verdict, by: userInfo().username, reason: null };
      const outcome = await decideApproval(approvalId, decision, {
        store,
        publisher,
        log,
        clock: systemClock,
        maskerFor,
      });
      if (outcome.kind !== 'decided' && outcome.kind !== 'unknown')
        output.write(`          ${describeOutcome(outcome)}\n`);
    } catch (error) {
      if (!signal.aborted) output.write(`          ${errorMessage(error)}\n`);
    } finally {
      reader.close();
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
