// An agent of a configuration, in whichever notation it is written.

import type * as z from 'zod';
import type { AgentRequest } from '../contract/agentText.ts';
import type { JsonObject } from '../text/json.ts';
import type { KnownNames } from './fields.ts';
import type { agentsFileSchema } from './schema.ts';
import type { Fault, YamlFile } from './yamlFile.ts';

/** An agent, validated. */
export type AgentEntry = z.output<ReturnType<typeof agentsFileSchema>>['agents'][string] & {
  /** Set for an agent that is written as a schema. */
  schema?: SchemaSettings;
};

/** Settings of an agent's schema that agents.yaml cannot express. */
export interface SchemaSettings {
  /** The author's version of the schema. Default: `1.0.0`. */
  version: string;
  /** The purpose of the agent; opens its prompt. */
  description: string;
  /** Further instructions after the description. Undefined: none. */
  systemPrompt: string | undefined;
  /** JSON Schemas of the answer's fields, by name; empty for an answer that is text. */
  properties: JsonObject;
  /** Names of the fields that every answer has. */
  required: string[];
  /** Whether the answer is structured by default. A request can override it. */
  structuredOutput: boolean;
  /** The model that the agent requires. Overrides the stage and the request. */
  overrideModel: string | undefined;
  /** 0 is a temperature. */
  temperature: number | undefined;
  /** Keys of the knowledge base. */
  resources: string[];
  /** Labels of the author's own, for lists of agents; empty for none. */
  tags: string[];
  /** Name of the author, for lists of agents. Undefined: not set. */
  author: string | undefined;
  /** Descriptions that replace those of tools, by tool name; empty if all keep their descriptions. */
  toolDescriptions: Record<string, string>;
  /** Index of each of the entry's tools in the schema's list. */
  toolPlaces: number[];
}

/** All agents of a configuration. */
export interface Agents {
  /** The validated agents, by name. */
  agents: Record<string, AgentEntry>;
  /** Settings without effect, with their places. */
  remarks: Fault[];
  /** The file that defines an agent, by its name. */
  fileOf: ReadonlyMap<string, YamlFile>;
}

/** Names defined elsewhere that agents refer to. */
export interface AgentReferences {
  /** Names in models.yaml. */
  models: KnownNames;
  /** Names in servers.yaml. */
  servers: KnownNames;
  /** Tool sources that servers.yaml does not define. */
  ownSources: readonly string[];
  /** Names of the skills in skills/; undefined accepts every one. */
  skills?: KnownNames;
  /** Names of all agents; undefined accepts every one. */
  agents?: KnownNames;
}

/** Settings of a request for the answer to a question. */
export interface ChatRequest extends AgentRequest {
  /** The agent that answers. Absent: that of the chain. */
  agent?: string | undefined;
}
