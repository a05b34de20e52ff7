// Resolves agents against a validated configuration: those of its files, and stored ones in their place.

import { unusableNames } from '../agents/outputSchema.ts';
import type { AgentRequest, AgentText } from '../contract/agentText.ts';
import { TerminalError } from '../core/errors.ts';
import type { JsonObject } from '../text/json.ts';
import { describeExpected } from '../text/suggest.ts';
import { agentFaults, agentRemarks, chainSizeFaults } from './agentFaults.ts';
import type { AgentReferences } from './agentTypes.ts';
import { chainEntry } from './chains.ts';
import { CHAT_OFF } from './chainsFile.ts';
import type { AgentCatalog } from './config.ts';
import { ConfigError, faultLine, quoteName } from './configError.ts';
import type { Files } from './files.ts';
import { withAgent } from './readAgents.ts';
import { chatAgent, plannedAlone, snapshotChain } from './resolve.ts';
import { modelFaults } from './strategies.ts';
import { toolRules } from './toolRules.ts';
import type { Fault } from './yamlFile.ts';

/**
 * @param files validated, and without faults between them.
 * @param servers the entries of servers.yaml, by name.
 */
export function agentCatalog(files: Files, known: AgentReferences, servers: JsonObject): AgentCatalog {
  /** Parsed texts by their `AgentText`. A cache of agents returns the same object until the agent changes. */
  const parsedTexts = new WeakMap<AgentText, Files>();
  /** The files with an agent replaced by a text. @throws ConfigError */
  const withText = (base: Files, text: AgentText): Files => {
    const parsed = base === files ? parsedTexts.get(text) : undefined;
    if (parsed !== undefined) return parsed;
    const faults: Fault[] = [];
    const agents = withAgent(base.agents, text, known, faults);
    if (agents === undefined || faults.length > 0) throw new ConfigError(faults);
    const changed = { ...base, agents };
    const contradictions = agentFaults(changed, servers);
    if (contradictions.length > 0) throw new ConfigError(contradictions);
    if (base === files) parsedTexts.set(text, changed);
    return changed;
  };
  return {
    names: Object.keys(files.agents.agents),
    remarks: agentRemarks(files).map(faultLine),
    chain(name, stored) {
      const refused: ConfigError[] = [];
      let current = files;
      chainEntry(files.chains.chains, name);
      for (const text of stored) {
        try {
          const changed = withText(current, text);
          const tooLarge = chainSizeFaults(snapshotChain(changed, name), changed);
          if (tooLarge.length > 0) throw new ConfigError(tooLarge);
          current = changed;
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          refused.push(error);
        }
      }
      return { chain: snapshotChain(current, name), refused };
    },
    plan(name, request = {}, stored) {
      const current = stored === undefined ? files : withText(files, stored);
      checkRequest(current, name, request);
      return plannedAlone(current, name, request);
    },
    chat(chain, { agent, ...request }, stored) {
      const current = stored === undefined ? files : withText(files, stored);
      const own = chainEntry(current.chains.chains, chain).chat;
      const name = agent ?? (own === CHAT_OFF ? undefined : own);
      const model = request.model && modelNamed(current, request.model);
      const settings = { ...request, ...(model !== undefined && { model }) };
      if (name === undefined) checkModel(current, settings.model);
      else checkRequest(current, name, settings);
      return chatAgent(current, chain, { agent, ...settings });
    },
    check(text) {
      const changed = withText(files, text);
      const before = new Set(agentRemarks(files).map(faultLine));
      const remarks = agentRemarks(changed).map(faultLine);
      const { schema, tools = [] } = changed.agents.agents[text.name] ?? {};
      return {
        version: schema?.version ?? '',
        remarks: remarks.filter((remark) => !before.has(remark)),
        tools: tools.map((tool) => (typeof tool === 'string' ? tool : JSON.stringify(tool))),
      };
    },
    sourceOf(name) {
      const yaml = files.agents.fileOf.get(name);
      return yaml && { yaml, isSchema: files.agents.agents[name]?.schema !== undefined };
    },
    toolRules: (tools) => toolRules(tools, servers),
  };
}

/** The name of a model in models.yaml. Also finds a model by its provider's name for it. */
function modelNamed({ models: { models } }: Files, asked: string): string {
  if (Object.hasOwn(models, asked)) return asked;
  const found = Object.entries(models).find(([, { provider, model }]) =>
    [model, `${provider}:${model}`].includes(asked),
  );
  return found?.[0] ?? asked;
}

/** @throws TerminalError `CONFIG_INVALID` for a model that models.yaml does not have. */
function checkModel({ models: { models } }: Pick<Files, 'models'>, model: string | undefined): void {
  if (model === undefined || Object.hasOwn(models, model)) return;
  const message = `unknown model ${quoteName(model)}; ${describeExpected(model, Object.keys(models))}`;
  throw new TerminalError('CONFIG_INVALID', message);
}

/** @throws TerminalError `CONFIG_UNKNOWN_AGENT`; `CONFIG_INVALID` for a request the agent cannot serve. */
function checkRequest({ agents, models }: Files, name: string, request: AgentRequest): void {
  const agent = Object.hasOwn(agents.agents, name) ? agents.agents[name] : undefined;
  if (agent === undefined) {
    const expected = describeExpected(name, Object.keys(agents.agents));
    throw new TerminalError('CONFIG_UNKNOWN_AGENT', `unknown agent ${quoteName(name)}; ${expected}`);
  }
  const { model, structuredOutput } = request;
  const refuse = (message: string) => new TerminalError('CONFIG_INVALID', message);
  checkModel({ models }, model);
  if (model !== undefined && agent.schema?.overrideModel === undefined) {
    const [fault] = modelFaults(agent, model, models);
    if (fault !== undefined) throw refuse(fault);
  }
  const [unusable] = structuredOutput ? unusableNames(agent.schema?.properties ?? {}) : [];
  if (unusable !== undefined)
    throw refuse(
      `the agent "${name}" cannot answer in structured form: its property ${quoteName(unusable)} has a name that models do not take`,
    );
}
