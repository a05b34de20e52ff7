// Letters of parallel agents, equal in lanes, waterfall and announcements.

import type {
  ExecutionView,
  PlannedStage,
  SessionView,
  StageView,
} from '../../../../shared/lists/apiTypes.ts';
import { hasEnded } from '../../model/status.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** So many tones has the style sheet. */
const TONES = 8;

/** The agents of a stage, without those that agents called. */
export function listTopExecutions({ executions }: StageView): StageView['executions'] {
  return executions.filter(({ parentExecutionId }) => parentExecutionId === null);
}

/**
 * Letters by execution, of all stages that have several agents; replicas of one agent share a letter: `A1`,
 * `A2`. No two executions of a session have the same letters, unless it has more agents than letters.
 */
export function laneLetters({ stages }: SessionView): ReadonlyMap<string, string> {
  const letters = new Map<string, string>();
  let used = 0;
  for (const stage of stages) {
    const top = listTopExecutions(stage);
    if (top.length < 2) continue;
    const names = [...new Set(top.map(({ agentName }) => agentName))];
    const bases = [...new Set(names.map((name) => findBaseName(name, names)))];
    for (const { executionId, agentName } of top) {
      const base = findBaseName(agentName, names);
      const letter = LETTERS[used + bases.indexOf(base)] ?? '·';
      letters.set(executionId, base === agentName ? letter : `${letter}${agentName.slice(base.length + 1)}`);
    }
    used += bases.length;
  }
  return letters;
}

/** Screens on which the agents of a stage stand below each other. */
const NARROW = '(max-width: 37.5em)';

/** Whether a parallel agent starts folded: it ended, and there is an analysis or little width. */
export function foldsLane({ finalAnalysis }: SessionView, { status }: ExecutionView): boolean {
  return hasEnded(status) && (finalAnalysis !== null || matchMedia(NARROW).matches);
}

/** Replicas have names that end in `-1`, `-2`. */
function findBaseName(name: string, names: readonly string[]): string {
  const [, base] = /^(.+)-\d+$/.exec(name) ?? [];
  const siblings =
    base === undefined ? 0 : names.filter((other) => other.match(/^(.+)-\d+$/)?.[1] === base).length;
  return base !== undefined && siblings > 1 ? base : name;
}

/** The place of a lane's colour in the style sheet: `a` to `h`. */
export function laneTone(letter: string): string {
  const index = Math.max(0, LETTERS.indexOf(letter[0] ?? 'A'));
  return LETTERS[index % TONES]?.toLowerCase() ?? 'a';
}

const KINDS: Record<string, string> = { synthesis: 'Synthesis', exec_summary: 'Summary', chat: 'Question' };

/** The name of a stage. */
export function stageName({ stageId, kind }: StageView): string {
  return KINDS[kind] ?? (titleCase(stageId.replace(/^\d+-/, '')) || stageId);
}

/** The name of a stage that has not started. */
export function plannedName({ name, kind }: PlannedStage): string {
  return KINDS[kind] ?? titleCase(name);
}

function titleCase(name: string): string {
  const words = name.replaceAll('-', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
