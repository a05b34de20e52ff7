// States that prove a mechanism by themselves: fields of a control plane that name how a component failed.

import type { Mechanism } from '../schema/features/mechanism.ts';

/** A row: a state, and the mechanism that it proves. */
interface DecisiveState {
  mechanism: Mechanism;
  /** Found in a held line or value. */
  state: RegExp;
}

const STATES: readonly DecisiveState[] = [
  { mechanism: 'memory', state: /\bOOMKilled\b|\boom-kill\b|\bOut of memory: Killed process\b/ },
  { mechanism: 'certificate', state: /\bcertificate has expired\b|\bcertificate (?:is )?expired\b/i },
  { mechanism: 'disk', state: /\bNo space left on device\b|(?<![\d.])100 ?%\s+\/|\bDiskPressure\W+True\b/i },
  { mechanism: 'quota', state: /\bQUOTA_EXCEEDED\b|\bquota exceeded\b|\bexceeded quota\b/i },
  {
    mechanism: 'release',
    state: /\bErrImagePull\b|\bImagePullBackOff\b|\bmanifest unknown\b|\bimage not found\b/i,
  },
  { mechanism: 'scheduling', state: /\bUnschedulable\b|\bInsufficient (?:cpu|memory|pods)\b/i },
  { mechanism: 'dns', state: /\bNXDOMAIN\b/ },
  { mechanism: 'permission', state: /\bPERMISSION_DENIED\b|\bAccessDenied\b/ },
  { mechanism: 'config', state: /\bCreateContainerConfigError\b|\bCreateContainerError\b/ },
];
/** `"limit":72,"usage":72` in either order. */
const LIMIT_AND_USAGE =
  /"?(?:limit|usage)"?\s*[:=]\s*"?([\d.]+)"?\s*,\s*"?(?:limit|usage)"?\s*[:=]\s*"?([\d.]+)"?/i;

/**
 * Whether a held line or value of a `state` result proves a mechanism. It proves only that one: the reason upstream of it
 * is a hypothesis of its own.
 */
export function isDecisive(text: string, mechanism: Mechanism | undefined): boolean {
  if (STATES.some((row) => row.mechanism === mechanism && row.state.test(text))) return true;
  const [, first, second] = LIMIT_AND_USAGE.exec(text) ?? [];
  return (
    mechanism === 'quota' && first !== undefined && Number(first) > 0 && Number(first) === Number(second)
  );
}
