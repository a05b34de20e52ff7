// Approvals: a call of a tool that needs approval waits for a person's decision.

import type { ToolCall, ToolDefinition } from '../../core/contract/tools.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import { approvalType, paths } from '../../core/schema/coreDocuments.ts';
import type { PendingCall } from '../../core/schema/execution.ts';
import { deriveApprovalId } from '../../kits/approvals/approvalId.ts';
import { decisionStatement } from '../../kits/approvals/decisionStatement.ts';
import { askPerson, shownArguments } from './askPerson.ts';

const UNSIGNED =
  'it needs approval, and no decision with a valid signature approves this call. Call it again to ask a person again, or continue without it.';
const NO_KEYS =
  'it needs approval, and this installation has no key to verify decisions (INQUEST_DECISION_PUBLIC_KEYS). Go on without it.';

/** Makes calls that need approval wait for a person, and runs none that no person approved. */
export const APPROVAL: Feature = {
  wait: { kind: 'person', plan: () => Promise.resolve(askPerson) },
  refuseCall: checkDecision,
};

/**
 * Why a call of a tool that needs approval must not run; undefined for a call that is approved, or needs no
 * approval. Uses the tool and the arguments that would run, not those that documents name.
 * @throws RetryableError when the store fails.
 */
async function checkDecision(
  { held, deps }: Pick<IterationContext, 'held' | 'deps'>,
  { index }: Pick<PendingCall, 'index'>,
  call: ToolCall,
  tool: ToolDefinition | undefined,
): Promise<string | undefined> {
  if (tool?.waits !== 'person') return undefined;
  if (deps.verify === undefined) return NO_KEYS;
  const approvalId = deriveApprovalId(held.current(), index);
  const { value: stored } = await captureFailure(deps.store.get(paths.approval(approvalId), approvalType));
  const { status, decidedBy: by, decidedAt: at, signature } = stored?.value ?? {};
  if (status !== 'approved' || !by || !at || !signature) return UNSIGNED;
  const args = shownArguments(call, tool);
  const statement = decisionStatement({
    approvalId,
    toolName: tool.name,
    arguments: args,
    verdict: status,
    by,
    at,
  });
  return deps.verify(statement, signature) ? undefined : UNSIGNED;
}
