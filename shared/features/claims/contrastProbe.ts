// The calls that show whether a state is different elsewhere or before: repeated by code before the check of
// claims. Pure but for the documents that it reads.

import type { Store } from '../../core/contract/store.ts';
import type { OwnStage } from '../../core/kernel/stageFeature.ts';
import { CONTRAST_STRATEGY, type PlannedAgent } from '../../core/schema/agent.ts';
import type { Session } from '../../core/schema/session.ts';
import type { Stage } from '../../core/schema/stage.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import { contrastCalls } from '../../evidence/contrast.ts';
import { mergeHypotheses } from '../../kits/claims/mergeHypotheses.ts';
import type { ReadClaims } from '../../kits/claims/readClaims.ts';
import { readClaims } from '../../kits/claims/readClaims.ts';
import { verdictFacts } from '../../kits/claims/verdictFacts.ts';
import type { ContrastCall } from '../../schema/contrast.ts';

/** The calls of a session, whose claims can be checked several times. */
export const MOST_CONTRASTS = 6;
/** The time for all calls, in milliseconds. */
export const CONTRAST_MS = 60_000;
/**
 * Collected calls fill `${…}` with labels, and a frame rewrites a text that looks like one; nothing inside a
 * text is rewritten. A masked value cannot be sent.
 */
const UNSENDABLE = /\$\{|\[masked:|<\s*\/?\s*(?:data|guidance)-/i;

/** Whether a call can be sent as it was chosen. */
export const isSendable = (call: ContrastCall): boolean => !UNSENDABLE.test(call.arguments);

/**
 * The execution of calls for contrast after a stage; undefined without, or afterwards. @throws as
 * `readClaims`.
 */
export async function contrastProbe(
  session: Session,
  { name }: Pick<Stage, 'name'>,
  store: Store,
  now: Date,
): Promise<OwnStage | undefined> {
  const { claims, contrast } = session.chain;
  if (claims === undefined || contrast === 'off' || name === CONTRAST_STRATEGY) return undefined;
  const read = await readClaims(session, store, now);
  const asked = new Set(read.contrasts.map(({ call }) => formatContrastKey(call)));
  const calls = contrastsToAsk(session, read)
    .filter((call) => !asked.has(formatContrastKey(call)) && isSendable(call))
    .slice(0, Math.max(0, MOST_CONTRASTS - read.contrasts.length));
  if (calls.length === 0) return undefined;
  const { limits } = claims;
  const agent: PlannedAgent = {
    ...claims,
    name: CONTRAST_STRATEGY,
    strategy: CONTRAST_STRATEGY,
    tools: [...new Set(calls.map(({ tool }) => tool))],
    // Each call is one that an agent made, for another object or time: nothing new is combined.
    outsideTools: 'together',
    collect: calls.map(({ tool, arguments: args }) => ({ tool, arguments: args })),
    limits: { ...limits, maxIterations: 1, toolTimeoutMs: Math.min(limits.toolTimeoutMs, CONTRAST_MS) },
  };
  const deadline = new Date(Math.min(now.getTime() + CONTRAST_MS, session.deadline.getTime()));
  return { agent, deadline, messages: [textMessage('user', JSON.stringify(calls))] };
}

const formatContrastKey = ({ tool, arguments: args }: ContrastCall): string => `${tool} ${args}`;

/** The calls, in the order in which they are made; none without a marked cause. */
function contrastsToAsk(session: Session, read: ReadClaims): readonly ContrastCall[] {
  const { evidence, scope } = verdictFacts(session, read);
  const causes = new Set(
    mergeHypotheses(read.executions).all.flatMap(({ id, cause }) => (cause ? [id] : [])),
  );
  const supports = evidence.flatMap(({ id, hypothesis, side, state, cited }) =>
    cited !== undefined && causes.has(hypothesis) && side === 'for' && state === 'held'
      ? [{ ...cited.state, id }]
      : [],
  );
  return contrastCalls(
    supports.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    scope,
  );
}
