// Checks verdicts: the stored one follows from the stored documents, and a supported cause has evidence that
// this file finds in the stored results by itself.

import { isDeepStrictEqual } from 'node:util';
import { isLedgerCall } from '../../../../shared/core/contract/ledgerTool.ts';
import type { Store } from '../../../../shared/core/contract/store.ts';
import { CLAIMS_STRATEGY } from '../../../../shared/core/schema/agent.ts';
import { isTerminal } from '../../../../shared/core/schema/common.ts';
import type { Execution } from '../../../../shared/core/schema/execution.ts';
import type { Message } from '../../../../shared/core/schema/message.ts';
import { readPart } from '../../../../shared/core/schema/parts.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import type { Stage } from '../../../../shared/core/schema/stage.ts';
import { verdictPart } from '../../../../shared/evidence/schema/verdict.ts';
import { checkClaims } from '../../../../shared/features/claims/checkClaims.ts';
import { paths, resultPartType } from '../../../../shared/lists/documents.ts';
import { type FaultPlan, MINUTE } from '../../faults.ts';
import { READ_TOOL } from '../../helpers.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';
import { checkRules, isContrastResult, isWell } from './rulesRule.ts';
import { isContrast, SUSPECT } from './simulatedLedger.ts';

/** The documents of a session. */
interface Documents {
  stages: Stage[];
  executions: Execution[];
  messages: Message[];
}

/** Checks the verdict of a session at its end. */
export async function checkLedger(
  session: Session,
  documents: Documents,
  { reader, plan, faults, record }: World,
  violate: Violate,
): Promise<void> {
  const { sessionId, status, chain } = session;
  const verdict = readPart(verdictPart, session);
  const checks = documents.stages.filter(({ kind }) => kind === 'claims');
  if (!plan.ledger) {
    if (verdict !== undefined || checks.length > 0)
      violate('ledger', `${sessionId} is checked, without a ledger`);
    return;
  }
  if (!isTerminal(status)) return;
  // The last release knows no ledger: a session that it opened checks nothing.
  const isOlder = plan.upgrade === 'released' && chain.claims === undefined;
  if (status === 'completed' && verdict === undefined && !isOlder)
    violate('ledger', `${sessionId} has no verdict`);
  // Ids are in the order of stages; times are not, because clocks jump.
  const last = checks.toSorted((a, b) => (a.stageId < b.stageId ? -1 : 1)).at(-1);
  await checkRules(session, documents, { plan, reader }, violate);
  if (verdict === undefined || last === undefined || chain.claims === undefined) return;
  if (verdict.value !== null) {
    // A session that was cancelled during a later stage keeps the verdict from before it.
    const later = new Set(
      documents.executions
        .filter(({ stageId }) => Number.parseInt(stageId, 10) > Number.parseInt(last.stageId, 10))
        .map(({ executionId }) => executionId),
    );
    const atCheck: Store = {
      ...reader,
      list: async (query, type) => (await reader.list(query, type)).filter(({ id }) => !later.has(id)),
    };
    const { verdict: again } = await checkClaims(session, last, atCheck);
    if (!isDeepStrictEqual(again, verdict))
      violate('ledger', `${sessionId} is ${JSON.stringify(verdict)}, its documents ${JSON.stringify(again)}`);
  }
  // A call that was not run, because its tool may not be used, takes nobody's place.
  const runs = record.activities.filter(
    (one) => one.kind === 'tool' && one.sessionId === sessionId && isContrast(one),
  );
  const made = new Set(runs.map(({ key }) => key)).size;
  checkContrast(session, documents, { made, isRefused: faults.has('commit_refused'), plan }, violate);
  const isByRule = session.caveats.some(({ code }) => code === 'BY_RULE');
  if (!isByRule && (verdict.value === 'confirmed' || verdict.value === 'likely'))
    await checkSupported(session, documents, reader, violate);
}

/** The calls for contrast of a session, and the time for those of an execution. */
const MOST_CALLS = 6;
/** Claims are read between the time of the stage and that of its deadline. */
const CONTRAST_MS = MINUTE + 1_000;

const wasNotRun = ({ blocks: [block] }: Message): boolean =>
  block?.blockType === 'tool_result' && block.isError && /was not run|^Not run/.test(block.textContent);

/** Contrast calls are few, early enough, before the check; a confirmed cause has an answer. */
function checkContrast(
  session: Session,
  { executions, messages }: Documents,
  { made, isRefused, plan }: { made: number; isRefused: boolean; plan: FaultPlan },
  violate: Violate,
): void {
  const { sessionId, status } = session;
  const verdict = readPart(verdictPart, session) ?? null;
  const contrasts = executions.filter(isContrast);
  const all = made + messages.filter((one) => isContrastResult(one) && !wasNotRun(one)).length;
  if (all > MOST_CALLS) violate('contrast', `${sessionId} makes ${all} calls`);
  for (const { executionId, createdAt, deadline, waits } of contrasts) {
    // A pause of the system extends every deadline, also of executions that have not met it.
    if (waits.length === 0 && !plan.systemPaused && deadline.getTime() - createdAt.getTime() > CONTRAST_MS)
      violate('contrast', `${executionId} has until ${deadline.toISOString()}`);
    if (waits.some(({ kind }) => kind === 'quota')) violate('contrast', `${executionId} waits for a quota`);
    const check = executions.find((one) => one.executionId === executionId.replace('contrast', 'claims'));
    // A session whose next stage Firestore refuses ends without it.
    if (
      check === undefined &&
      !isRefused &&
      status === 'completed' &&
      verdict?.caps.includes('claims_failed')
    )
      violate('contrast', `no check of claims follows ${executionId}`);
  }
  const asked = new Set(contrasts.map(({ executionId }) => executionId));
  const hasWell = messages.some(
    (message) => (asked.has(message.executionId) || isContrastResult(message)) && isWell(message),
  );
  if (verdict?.value === 'confirmed' && !hasWell)
    violate('contrast', `${sessionId} is confirmed, and no sibling was found well`);
}

/** A supported cause has a quote in a state of its own component, and a check of its claims. */
async function checkSupported(
  { sessionId, chain }: Session,
  { executions, messages }: Documents,
  reader: World['reader'],
  violate: Violate,
): Promise<void> {
  const claims = executions.filter(({ agentName }) => agentName === CLAIMS_STRATEGY).at(-1);
  if (claims?.status !== 'completed') violate('ledger', `${sessionId} has a cause, and its claims no check`);
  const parts = (await reader.list({ collection: paths.results(sessionId) }, resultPartType)).map(
    ({ value }) => value,
  );
  const agents = executions.filter(({ stageId }) => Number.parseInt(stageId, 10) <= chain.stages.length);
  const proofs = agents.map(({ executionId }) => {
    const own = messages
      .filter((message) => message.executionId === executionId)
      .toSorted((a, b) => a.sequenceNumber - b.sequenceNumber);
    const results = own.flatMap(({ blocks, sequenceNumber }) =>
      blocks.flatMap((block) =>
        block.blockType === 'tool_result' && !block.isError && !isLedgerCall({ name: block.toolName })
          ? [
              {
                isState: block.toolName === READ_TOOL,
                text: [
                  block.textContent,
                  ...parts
                    .filter(
                      (part) => part.executionId === executionId && part.sequenceNumber === sequenceNumber,
                    )
                    .map(({ text }) => text),
                ].join(''),
              },
            ]
          : [],
      ),
    );
    const stated = own.flatMap(({ blocks }) =>
      blocks.flatMap((block) =>
        block.blockType === 'tool_use' && isLedgerCall({ name: block.toolName })
          ? [JSON.parse(block.input)]
          : [],
      ),
    );
    const quotes = stated.flatMap(({ evidence = [] }) =>
      evidence.map(({ quote }: { quote: string }) => /all pods run #\d+#/.exec(quote)?.[0] ?? quote),
    );
    const hasState = quotes.some((quote) =>
      results.some(
        ({ isState, text }) => isState && text.includes(quote) && text.includes(`name: ${SUSPECT}\n`),
      ),
    );
    return hasState;
  });
  if (!proofs.includes(true)) violate('ledger', `${sessionId} has a cause without evidence`);
}
