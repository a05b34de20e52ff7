// Texts about an alert's fate: the place of the rule, and the next step of a person. Pure.

import type { AlertFate, RulePlace } from '../../../alerts/schema/alertFate.ts';

/** `triage.yaml:12`. */
const placeText = ({ file, line }: RulePlace): string => `${file}:${line}`;

/** How to get a different fate for such alerts; null if nothing is to be fixed. */
export function fixOfFate(
  fate: Pick<AlertFate, 'outcome' | 'by' | 'subject' | 'place' | 'sessionId' | 'messageId'>,
): string | null {
  const start =
    fate.sessionId === null ? '' : ` To investigate this one: inquest start-deferred ${fate.sessionId}`;
  switch (fate.outcome) {
    case 'opened':
      return null;
    case 'joined':
      return fixOfJoined(fate);
    case 'dropped':
      return `${ruleFix(fate)} To try it: inquest adapt FILE`;
    case 'recorded':
      return `${recordedFix(fate)}${start}`;
    case 'deferred':
      return `${deferredFix(fate)}${start}`.trim() || null;
    case 'rejected':
    case 'refused':
      return `The table of docs/errors.md has the remedy for ${fate.by}. To see how a payload is read: inquest adapt FILE`;
    default:
      return null;
  }
}

type Fated = Pick<AlertFate, 'by' | 'subject' | 'place'>;
type JoinedFate = Fated & Pick<AlertFate, 'sessionId' | 'messageId'>;

/** The rule of triage.yaml that an operator changes. */
function ruleFix({ by, subject, place }: Fated): string {
  const where = place === null ? 'triage.yaml' : placeText(place);
  if (by === 'watchdog')
    return 'It always fires and needs no investigation; a rule of triage.yaml that matches it decides instead.';
  if (by === 'default')
    return `No rule matches it: add a rule with action: investigate, or change the default (${where}).`;
  return `Change rule ${subject ?? ''} (${where}) to action: investigate, or put a rule that matches it before that one.`;
}

function fixOfJoined({ by, subject, place, sessionId, messageId }: JoinedFate): string | null {
  if (by === 'incident')
    return 'It has the identity of a problem whose session exists. For a session of its own, the source has to send a different fingerprint.';
  if (sessionId === null || (by !== 'rule' && by !== 'merge')) return null;
  const split = `To give this one its own session: inquest split ${sessionId} ${messageId}`;
  if (by === 'merge') return split;
  const where = place === null ? 'triage.yaml' : placeText(place);
  return `For sessions of their own, remove join: true from rule ${subject ?? ''} (${where}). ${split}`;
}

function recordedFix({ by, subject, place }: Fated): string {
  if (by === 'own_alert') {
    const inFile = place === null ? '' : `, or remove it from ownServices (${placeText(place)})`;
    return `It is about ${subject ?? 'Inquest'}, whose alerts Inquest can cause itself: handle it by hand${inFile}.`;
  }
  if (by === 'budget') {
    const where = place === null ? 'system.yaml' : placeText(place);
    return `Budget ${subject ?? ''} is used up until its next period; to have more, raise its tokens (${where}).`;
  }
  if (by === 'state')
    return `Alerts that are ${subject ?? 'over'} are investigated by a rule of triage.yaml with state: ${subject ?? ''} and action: investigate.`;
  return ruleFix({ by, subject, place });
}

function deferredFix({ by, subject, place }: Fated): string {
  if (by === 'settle') {
    const where = place === null ? 'chains.yaml or system.yaml' : placeText(place);
    return `It starts automatically if it still fires after the time of settle; to change it: settle (${where}).`;
  }
  if (by !== 'budget') return '';
  const where = place === null ? 'system.yaml' : placeText(place);
  return `It starts automatically when the budget has room; to have more, raise ${subject ?? 'the budget'} (${where}).`;
}
