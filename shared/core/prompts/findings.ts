// The findings of agents for other agents: framed as data, under the name of each agent, with their evidence.

import { limitText } from '../../text/limitText.ts';
import { frameData } from '../../text/untrustedFrame.ts';
import type { CaveatCode } from '../schema/common.ts';
import { describeSteps, type Evidence } from './evidence.ts';

/**
 * UTF-8 bytes of all findings together: they share a document with the chain and the alert. The whole
 * analysis of each agent is in its conversation.
 */
export const MAX_FINDINGS_BYTES = 300_000;
/** Maximum share of a finding's bytes for its analysis if there is also evidence. */
const ANALYSIS_SHARE = 0.5;

/** The conclusion of an agent of the same stage or an earlier one. */
export interface Finding {
  /** The agent's name. */
  agent: string;
  /** The whole conclusion. Prompts get it cut to the share of the agent. */
  analysis: string;
  /** The stage, where findings of several are shown. */
  stage?: string;
  /** Reasons to trust the analysis less, each in words before it. Absent: none. */
  caveats?: readonly CaveatCode[];
  /** The evidence of the analysis. Absent: it is not shown. */
  evidence?: Evidence;
}

const CAVEATS: Record<CaveatCode, string> = {
  MAX_ITERATIONS: 'forced: all iterations were used up before the agent had concluded',
  BUDGET_REACHED: 'forced: a budget of tokens was used up before the agent had concluded',
  TOOL_SERVER_UNAVAILABLE: 'forced: no tool could be reached',
  ITERATION_TIMEOUT: 'forced: two answers of the model in a row did not end in time',
  MODEL_EMPTY_ANSWER: 'forced: the model had answered nothing, twice in a row',
  MODEL_TRUNCATED: 'cut off: the model stopped before it was complete',
  DOCUMENT_TOO_LARGE: 'cut: it was too large to store',
  OUTPUT_INVALID: 'not in the required structured form',
  BY_RULE: 'by rule: no model gave it, and rules read only the collected results',
  SCRIPTED: 'scripted: no model gave it, and the script does not name this alert',
  TOOL_MISSING: 'incomplete: a tool server does not have a tool that the agent lists',
  AGENT_WITHOUT_ANALYSIS: 'incomplete: an agent ended without an analysis',
  TOOL_SERVER_MISSING: 'incomplete: a tool server could not be reached',
};

/** A caveat in words that follow `This analysis was`. Codes of newer code are shown as they are. */
export function caveatText(code: CaveatCode): string {
  return CAVEATS[code] ?? `marked as ${code}`;
}

/** Results of agents, with marks around them, a heading for each, and framed as data. */
export function stageContext(findings: Finding[], nonce: string): string {
  const sections = findingSections(findings, nonce);
  return ['<!-- STAGE_CONTEXT_START -->', sections, '<!-- STAGE_CONTEXT_END -->'].join('\n\n');
}

/**
 * Each finding under its agent's name, cut to an equal share of `MAX_FINDINGS_BYTES`, and below a heading for
 * each stage.
 * @param nonce of the session, for a model; people need no frames.
 */
export function findingSections(findings: Finding[], nonce?: string): string {
  const share = Math.floor(MAX_FINDINGS_BYTES / Math.max(1, findings.length));
  const sections = findings.map((finding, index) => {
    const { stage } = finding;
    const isNewStage = stage !== undefined && stage !== findings[index - 1]?.stage;
    return [...(isNewStage ? [`## Stage ${stage}`] : []), findingSection(finding, share, nonce)];
  });
  return sections.flat().join('\n\n');
}

function findingSection(
  { agent, analysis, caveats = [], evidence }: Finding,
  share: number,
  nonce: string | undefined,
): string {
  const framed = (text: string, source: string) =>
    nonce === undefined ? text : frameData(text, { nonce, source });
  const room = evidence === undefined ? share : Math.floor(share * ANALYSIS_SHARE);
  const whole = withoutMarks(analysis);
  const text = limitText(nonce === undefined ? withoutHeadings(whole) : whole, room).content;
  const parts = [
    `### ${agent} Analysis`,
    ...caveats.map((code) => `(This analysis was ${caveatText(code)}.)`),
  ];
  parts.push(framed(text, `agent ${agent}`));
  if (evidence !== undefined) {
    const left = share - Buffer.byteLength(text);
    const steps = withoutMarks(describeSteps(evidence, left));
    parts.push(`#### Evidence of ${agent}`, framed(steps, `evidence of ${agent}`));
  }
  return parts.join('\n\n');
}

/** The words of a mark of `stageContext`, however they are spelled and joined. */
const MARK = /stage[\s_\-\p{Cf}]*context[\s_\-\p{Cf}]*(start|end)/giu;

/** The text without anything like a mark of `stageContext`: it can quote an attacker's text in a log. */
export function withoutMarks(text: string): string {
  return text.replace(MARK, '(stage context $1)');
}

/** Headings like ours, which a text could use to pass for another agent's. */
const HEADING = /^[ \t]*#{1,4}(?=[ \t]+(?:stage\b.*|evidence of\b.*|.*\banalysis[ \t]*)$)/gim;

/** The text with headings that look like ours moved below them. */
function withoutHeadings(text: string): string {
  return text.replace(HEADING, '#####');
}
