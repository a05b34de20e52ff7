// The API's responses about agents.

/** An agent in a list, as it counts. */
export interface AgentRow {
  name: string;
  /** `store`, or the file of the configuration. */
  from: string;
  strategy: string;
  model: string;
  /** Whether its answer has a checked form. */
  structured: boolean;
  description: string;
  /** Why a stored agent cannot be used. */
  fault: string | null;
  /** Those whose stages, syntheses or questions it works for. */
  chains: string[];
  /** Null for an agent of the files. */
  stored: { version: string; updatedBy: string; updatedAt: string } | null;
}

/** The rules of servers.yaml for an entry of an agent's tools. */
export interface ToolRule {
  /** A server, a tool of one, or a tool that Inquest brings. */
  name: string;
  /** Null for a tool that Inquest brings. */
  server: string | null;
  /** Null where servers.yaml does not set it. */
  access: 'read' | 'write' | null;
  /** Names and patterns of tools that only look. */
  readOnly: string[];
  /** Whether tools that their server marks so only look, too. */
  trustHints: boolean;
  /** Tools that change something, and whether a person approves each call. */
  approvals: { tool: string; approval: 'required' | 'none' }[];
}

/** A model and its settings. */
interface AgentModel {
  provider: string;
  model: string;
  maxOutputTokens?: number;
  thinkingLevel?: string;
  temperature?: number;
}

/** Limits by their names. Durations in milliseconds, sizes in bytes. */
export type AgentLimits = Record<string, unknown>;

/** An agent with all that is configured of it. */
export interface Agent extends AgentRow {
  /** Null for one that cannot be used. */
  settings: {
    instructions: string;
    model: AgentModel;
    fallback: AgentModel[];
    resources?: string[];
    asks?: { name: string; description?: string }[];
    nativeTools: string[];
    limits: AgentLimits;
  } | null;
  tools: ToolRule[];
  /** Its text, as agents/NAME.yaml. */
  yaml: string;
}

/** A model with its settings, in words. */
export function modelText({
  provider,
  model,
  maxOutputTokens,
  thinkingLevel,
  temperature,
}: AgentModel): string {
  return [
    `${model} (${provider})`,
    thinkingLevel && `thinking ${thinkingLevel}`,
    temperature !== undefined && `temperature ${temperature}`,
    maxOutputTokens !== undefined && `up to ${maxOutputTokens} output tokens`,
  ]
    .filter(Boolean)
    .join(' · ');
}
