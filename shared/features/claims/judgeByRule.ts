// The verdict on a finding by rule, through the table of verdicts, and its analysis. No model takes part.

import type { Store } from '../../core/contract/store.ts';
import type { Finding } from '../../core/prompts/findings.ts';
import type { Session } from '../../core/schema/session.ts';
import type { SessionVerdict } from '../../evidence/schema/verdict.ts';
import { verdictSentence } from '../../evidence/verdictWords.ts';
import { readPinned } from '../../kits/agents/pins.ts';
import { type ReadClaims, readClaims } from '../../kits/claims/readClaims.ts';
import { sessionVerdict } from '../../kits/claims/sessionVerdict.ts';
import { type SessionFacts, verdictFacts } from '../../kits/claims/verdictFacts.ts';
import type { ClaimsCheck } from './checkClaims.ts';
import { findByRule, type RuleFinding } from './findByRule.ts';

/** The hypothesis of the rules, and the author of their analysis. */
const RULE = 'rule';

/** The verdict on a finding, as the only cause. */
export function judgeByRule(session: Session, read: ReadClaims, finding: RuleFinding): SessionVerdict {
  const { component, mechanism, state, contrast, source } = finding;
  const isChange = state.row.change === true;
  const facts = verdictFacts(session, read, [{ id: RULE, component, mechanism, cause: true }]);
  const evidence: SessionFacts['evidence'][number] = {
    id: RULE,
    hypothesis: RULE,
    side: 'for',
    state: 'held',
    yields: 'state',
    // A change supports by its things only.
    speaks: isChange ? 'nothing' : 'state',
    isOfChange: isChange,
    contrast: contrast.state,
    tool: source.tool,
    writer: source.tool,
    isFailed: false,
    isMasked: false,
    isToolChanged: read.executions.some(({ execution }) =>
      readPinned(execution).changedTools.includes(source.tool),
    ),
    ...(!isChange && { cited: { state, contrast } }),
  };
  return sessionVerdict(session, read, {
    ...facts,
    isChecked: true,
    cause: [RULE],
    evidence: [...facts.evidence, evidence],
  });
}

/** The answer by rule of a session without analysis; undefined without a finding. @throws as `readClaims`. */
export async function answerByRule(
  session: Session,
  store: Store,
  now: Date,
): Promise<ClaimsCheck | undefined> {
  const read = await readClaims(session, store, now);
  const finding = findByRule(session, read)?.finding;
  if (finding === undefined) return undefined;
  const verdict = judgeByRule(session, read, finding);
  return { verdict, finding: describeFinding(verdict, finding) };
}

function describeFinding(
  verdict: SessionVerdict,
  { component, mechanism, source, lines }: RuleFinding,
): Finding {
  const quoted = lines.map((line) => `    ${line}`).join('\n');
  const analysis = [
    'No model has investigated this alert. Rules read one cause in the results that were collected when it came in.',
    `**Root cause** (by rule): ${component}, ${mechanism.replaceAll('_', ' ')}.`,
    verdictSentence(verdict),
    `**Evidence** (${source.tool}):\n\n${quoted}`,
    '**Unverified**: everything that was not collected, and why this came about.',
  ].join('\n\n');
  return { agent: RULE, analysis, caveats: ['BY_RULE'] };
}
