// The verdict of a session as stored: the table's outcome, with reason and open questions. Pure.

import type { Session } from '../../core/schema/session.ts';
import type { Contrast, Speaking } from '../../evidence/contrast.ts';
import { describeRecordState } from '../../evidence/mechanisms.ts';
import type { SessionVerdict, VerdictReason } from '../../evidence/schema/verdict.ts';
import { findBestChange } from '../../evidence/supports.ts';
import { judgeSession, TABLE_VERSION } from '../../evidence/verdict.ts';
import { limitHead } from '../../text/limitText.ts';
import type { ReadClaims } from './readClaims.ts';
import { alertTime, missingServers, type SessionFacts } from './verdictFacts.ts';

/** Characters of an object and of a call. */
const MAX_NAME = 200;

/** The verdict of a session whose claims were not checked. @param reason one word, `claims_failed`. */
export function notChecked(reason: string): SessionVerdict {
  return {
    value: null,
    table: TABLE_VERSION,
    rule: 'not_checked',
    caps: [reason],
    isRecovered: false,
    causes: [],
    reason: null,
    open: [],
  };
}

/** The verdict by the facts of a session. */
export function sessionVerdict(session: Session, read: ReadClaims, facts: SessionFacts): SessionVerdict {
  const { verdict: value = null, rule, caps, cause, isRecovered = false } = judgeSession(facts);
  if (value === null) return { ...notChecked('claims_failed'), isRecovered };
  const causes = facts.cause.flatMap((id) => facts.hypotheses.filter((one) => one.id === id));
  const upstream = facts.cause.flatMap((id) => facts.others.get(id)?.upstream ?? []);
  const mechanisms = [...new Set(upstream.map(({ row }) => row.mechanism))];
  return {
    value,
    table: TABLE_VERSION,
    rule,
    caps: [...caps],
    isRecovered,
    causes: causes.map(({ component = null, mechanism = null }) => ({ component, mechanism })),
    reason: cause === undefined ? null : chooseVerdictReason(session, facts, cause, rule),
    open: [
      ...(value === 'confirmed' || value === 'likely' ? mechanisms : []).map((subject) => ({
        code: 'upstream',
        subject,
      })),
      ...facts.scope.answers
        .filter(({ records }) => records === undefined)
        .map(({ call }) => ({
          code: 'contrast',
          subject: limitHead(`${call.tool} ${call.arguments}`, MAX_NAME),
        })),
      ...missingServers(read).map((subject) => ({ code: 'server', subject })),
    ],
  };
}

/** The reason: the cause's best state or change; else a contradiction, or another shown mechanism. */
function chooseVerdictReason(
  session: Session,
  facts: SessionFacts,
  cause: string,
  rule: string,
): VerdictReason {
  const own = facts.evidence.filter(
    ({ hypothesis, side, state, isFailed }) =>
      hypothesis === cause && side === 'for' && state === 'held' && !isFailed,
  );
  const cited = own.flatMap((one) => one.cited ?? []);
  const order: Contrast['state'][] = ['shown', 'open', 'usual'];
  const [best] = cited.toSorted((a, b) => order.indexOf(a.contrast.state) - order.indexOf(b.contrast.state));
  const [against] = facts.others.get(cause)?.against ?? [];
  const suspect = facts.hypotheses.find(({ id }) => id === cause);
  const changed =
    rule === 'change' && suspect !== undefined ? findBestChange(suspect, facts.scope) : undefined;
  const state = against ?? changed?.change ?? best?.state;
  const symptom = changed?.symptom && describeState(changed.symptom);
  const [shows] = own.flatMap((one) => (one.cited === undefined ? (one.shows ?? []) : []));
  const isOwn = state !== undefined && state === best?.state;
  return {
    ...(state === undefined ? { object: null, says: null, at: null } : describeState(state)),
    effect: symptom === undefined ? null : `${symptom.object}: ${symptom.says}`,
    alertAt: alertTime(session),
    by: isOwn && best.contrast.state === 'shown' ? (best.contrast.by ?? null) : null,
    siblings: isOwn ? (best.contrast.siblings ?? 0) : 0,
    why: isOwn ? whyOpen(best.contrast, rule, facts) : (changed?.things ?? 3) < 3 ? 'no_change' : null,
    shows: against?.row.mechanism ?? (best === undefined ? (shows ?? null) : null),
  };
}

function whyOpen(
  { state, why = 'not_asked' }: Contrast,
  rule: string,
  { isContrastOff }: SessionFacts,
): string | null {
  if (state === 'shown') return rule === 'state' ? 'no_change' : null;
  if (state === 'usual') return 'usual';
  return isContrastOff ? 'off' : why;
}

function describeState({ row, record, match }: Speaking): Pick<VerdictReason, 'object' | 'says' | 'at'> {
  const { kind, identity, container } = record;
  const name = `${kind === 'series' ? '' : `${kind} `}${identity.name}${container === undefined ? '' : `, container ${container}`}`;
  return {
    object: limitHead(name, MAX_NAME),
    says: limitHead(describeRecordState(row, match, record), MAX_NAME),
    at: match.at === undefined ? null : new Date(match.at),
  };
}
