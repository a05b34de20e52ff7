// Places where masking is switched off, one at a time, to prove that the fuzz detects it.

import type { MutantRun } from '../mutants/mutantSuite.ts';
import { loadMutant, type TextChange } from '../support/mutant.ts';
import type { ScenarioName } from './runScenario.ts';

/** A place where masking is switched off. */
interface Mutant extends TextChange {
  scenario: ScenarioName;
}

/** No place may need more seeds of its scenario. */
const SEEDS = 12;
/** Where secrets in model errors are hidden first: masking behind it is noticed only without it. */
const ALSO_AT_THE_CLIENT: TextChange = {
  file: 'llm/credentials.ts',
  text: 'return createMasker({ known: secrets }).mask(text).text;',
  by: 'return text.slice(secrets.length * 0);',
};
const RUN = new URL('runScenario.ts', import.meta.url);

/** The mutants, by what is not masked any more. */
export const MUTANTS: Record<string, Mutant> = {
  'the body of an alert': {
    file: 'alerts/index.ts',
    text: 'const body = await maskGradually(text);',
    by: 'const body = { text, count: 0 };',
    scenario: 'accepted alerts',
  },
  'the fields of an alert': {
    file: 'alerts/index.ts',
    text: '(await maskJsonGradually(limitTexts(payload), text.length)).value',
    by: 'limitTexts(payload)',
    scenario: 'accepted alerts',
  },
  'a runbook': {
    file: 'features/runbooks/resolveRunbook.ts',
    text: 'const whole = cleanText(masker, found.text).text;',
    by: 'const whole = found.text;',
    scenario: 'runbooks',
  },
  'a runbook that is stored': {
    file: 'features/runbooks/putRunbook.ts',
    text: "cleanText(maskerFor('0'.repeat(32)), text).text",
    by: 'text',
    scenario: 'runbooks',
  },
  'an entry of the knowledge base that is stored': {
    file: 'kits/knowledge/editKnowledge.ts',
    text: 'const found = masker.mask(text);',
    by: 'const found = { text, count: 0 };',
    scenario: 'runbooks',
  },
  'arguments of calls that a chain names': {
    file: 'masking/maskInstructions.ts',
    text: 'arguments: maskArguments(args, maskText),',
    by: 'arguments: args,',
    scenario: 'runbooks',
  },
  'what is refused': {
    file: 'kits/messages/receiveMessage.ts',
    text: 'if (maskerFor === undefined) return',
    by: 'if (true) return',
    scenario: 'refused alerts',
  },
  'the name of a chain that is not there': {
    file: 'features/alerts/opening/routeSession.ts',
    text: ': masker.mask(chain).text;',
    by: ': chain;',
    scenario: 'refused alerts',
  },
  'instructions of agents': {
    file: 'masking/maskInstructions.ts',
    text: 'instructions: maskText(agent.instructions)',
    by: 'instructions: agent.instructions',
    scenario: 'answer parts',
  },
  'forms of structured answers': {
    file: 'masking/maskInstructions.ts',
    text: 'outputSchema: maskArguments(outputSchema, maskText)',
    by: 'outputSchema',
    scenario: 'structured answers',
  },
  'results of tools': {
    file: 'tools/connectTools.ts',
    text: 'const masked = await options.mask(outcome.content);',
    by: 'const masked = { text: outcome.content, count: 0 };',
    scenario: 'tool results',
  },
  'results of repeated calls': {
    file: 'tools/connectTools.ts',
    text: 'const masked = await options.mask(outcome.content);',
    by: 'const masked = { text: outcome.content, count: 0 };',
    scenario: 'repeated calls',
  },
  'the question of a schedule': {
    file: 'features/checks/openCheck.ts',
    text: 'cleanText(masker, question).text',
    by: 'question',
    scenario: 'requested checks',
  },
  'results of tools before they are cut': {
    file: 'tools/connectTools.ts',
    text: 'limitResult(makeVisible(masked.text), found?.source.results, options.maxResultBytes)',
    by: 'limitText(options.mask(limitText(outcome.content, options.maxResultBytes).content).text, 99_999)',
    scenario: 'tool results',
  },
  'descriptions of tools': {
    file: 'masking/cleanTools.ts',
    text: 'limitHead(mask(tool.description)',
    by: 'limitHead(tool.description',
    scenario: 'tool definitions',
  },
  'schemas of tools': {
    file: 'masking/cleanTools.ts',
    text: 'asObject(cleanTexts(tool.inputSchema, mask))',
    by: 'tool.inputSchema',
    scenario: 'tool definitions',
  },
  'instructions of servers': {
    file: 'features/pins/recordInstructions.ts',
    text: 'INSTRUCTIONS_TOO_LONG : cleanText(masker, text).text',
    by: 'INSTRUCTIONS_TOO_LONG : text',
    scenario: 'tool results',
  },
  'names of tools': {
    file: 'masking/cleanTools.ts',
    text: "if (masker.wouldChange(tool.name)) return 'withheld';",
    by: '',
    scenario: 'tool definitions',
  },
  'bound arguments': {
    file: 'masking/cleanTools.ts',
    text: '[name, mask(text)]',
    by: '[name, text]',
    scenario: 'tool definitions',
  },
  'servers that cannot be reached': {
    file: 'tools/mcp/mcpFailure.ts',
    text: 'return createMasker({ known }).mask(text).text;',
    by: 'return known.length < 0 ? createMasker({}).mask(text).text : text;',
    scenario: 'missing servers',
  },
  'servers that cannot be reached, by what the process knows': {
    file: 'tools/mcp/mcpFailure.ts',
    text: '    ...secrets,\n',
    by: '',
    scenario: 'missing servers',
  },
  'the beginning of what a server wrote last': {
    file: 'tools/mcp/stdioLink.ts',
    text: 'stderr = keepEnd(stderr + text);',
    by: 'stderr = (stderr + text).slice(-STDERR_CHARACTERS);',
    scenario: 'missing servers',
  },
  'texts of answers': {
    file: 'masking/answer/maskAnswer.ts',
    text: 'const text = makeVisible(maskedText);',
    by: 'const text = makeVisible(response.text);',
    scenario: 'react answers',
  },
  'what is said while a model speaks': {
    file: 'kits/live/shownEnd.ts',
    text: 'cleanText(masker, streamed).text',
    by: 'streamed',
    scenario: 'answer parts',
  },
  thoughts: {
    file: 'masking/answer/maskAnswer.ts',
    text: 'thinking: clean(response.thinking)',
    by: 'thinking: response.thinking',
    scenario: 'answer parts',
  },
  'arguments of calls': {
    file: 'masking/answer/maskAnswer.ts',
    text: 'arguments: maskArguments(args, mask)',
    by: 'arguments: args',
    scenario: 'answer parts',
  },
  'names of calls': {
    file: 'masking/answer/maskAnswer.ts',
    text: 'name: mask(name)',
    by: 'name',
    scenario: 'answer parts',
  },
  'ids of calls': {
    file: 'masking/answer/maskAnswer.ts',
    text: 'callId: mask(callId)',
    by: 'callId',
    scenario: 'answer parts',
  },
  'code and its output': {
    file: 'masking/answer/maskAnswer.ts',
    text: 'result: clean(result)',
    by: 'result',
    scenario: 'answer parts',
  },
  'versions of models': {
    file: 'masking/answer/maskAnswer.ts',
    text: 'null : clean(response.modelVersion)',
    by: 'null : response.modelVersion',
    scenario: 'answer parts',
  },
  'blocks of answers': {
    file: 'masking/answer/maskAnswer.ts',
    text: 'cleanBlock(block, cleaner, change)',
    by: 'block',
    scenario: 'answer parts',
  },
  'the raw parts of a provider': {
    file: 'masking/answer/cleanBlock.ts',
    text: '{ providerData: maskData(providerData, mask, dropOffsets) }',
    by: '{ providerData }',
    scenario: 'answer parts',
  },
  'files in answers': {
    file: 'masking/answer/cleanBlock.ts',
    text: 'const isWhole = [data, uri].every((text) => text === undefined || mask(text) === text);',
    by: 'const isWhole = true;',
    scenario: 'answer parts',
  },
  'answers that are replayed as they came': {
    file: 'masking/answer/maskAnswer.ts',
    text: 'replay === undefined || secrets > 0 ? cleaned',
    by: 'replay === undefined ? cleaned',
    scenario: 'answer parts',
  },
  'errors of providers': {
    file: 'llm/credentials.ts',
    text: 'return createMasker({ known: secrets }).mask(text).text;',
    by: 'return secrets.length < 0 ? createMasker({}).mask(text).text : text;',
    // A word that is not cut is masked behind it.
    and: {
      file: 'text/cut.ts',
      text: 'return word.length > MAX_WORD || word.length === cut.length ? cut : cut.slice(0, cut.length - word.length);',
      by: 'return word.length < 0 ? text : cut;',
    },
    scenario: 'failed calls',
  },
  'words of providers before they are cut': {
    file: 'llm/gemini/classifyAnswer.ts',
    text: 'quoteProvider(mask(text))',
    by: 'quoteProvider(text)',
    scenario: 'failed calls',
  },
  'errors of attempts': {
    file: 'core/kernel/model/modelCall.ts',
    text: 'masker.cleanText(error).text',
    by: 'error',
    and: ALSO_AT_THE_CLIENT,
    scenario: 'failed calls',
  },
  'failures of iterations': {
    file: 'core/iteration/answer/failIteration.ts',
    text: 'masker.mask(text).text',
    by: 'text',
    and: ALSO_AT_THE_CLIENT,
    scenario: 'failed calls',
  },
  'finish reasons': {
    file: 'core/kernel/model/modelCall.ts',
    text: 'null : masker.cleanText(text).text',
    by: 'null : text',
    scenario: 'failed calls',
  },
  'decisions of people': {
    file: 'kits/approvals/decideApproval.ts',
    text: 'cleanText(maskerFor(maskKey), text).text',
    by: 'text.slice(maskerFor(maskKey).mask("").count)',
    scenario: 'decisions',
  },
  'questions of people': {
    file: 'kits/questions/askQuestion.ts',
    text: 'text: question.text,',
    by: 'text: text.trim(),',
    scenario: 'talk',
  },
  'guidance of people': {
    file: 'kits/steering/addGuidance.ts',
    text: 'const { text, count } = cleanText(masker, input.text.trim());',
    by: 'const { text, count } = { ...cleanText(masker, input.text), text: input.text.trim() };',
    scenario: 'talk',
  },
  'lines of the log': {
    file: 'masking/lineMasker.ts',
    text: 'return (line) => mask(line).text;',
    by: 'return (line) => line.slice(mask("").count);',
    and: ALSO_AT_THE_CLIENT,
    scenario: 'failed calls',
  },
  'wrong settings': {
    file: 'config/configError.ts',
    text: 'return mask(text).text;',
    by: 'return text.slice(mask("").count);',
    scenario: 'wrong configuration',
  },
  'known secrets': {
    file: 'masking/findSpans.ts',
    text: 'for (const one of [view, ...joinedViews(view, engine.hasBlanks)]) addKnown(one);',
    by: '',
    scenario: 'tool results',
  },
};

/** Runs seeds of the mutant's scenario until a secret comes out. */
export async function runTask({ name }: { name: string }): Promise<MutantRun> {
  const mutant = MUTANTS[name];
  if (mutant === undefined) throw new RangeError(`there is no mutant "${name}"`);
  const { scenario } = mutant;
  const { runScenario } = await loadMutant<typeof import('./runScenario.ts')>(RUN, mutant);
  for (let seed = 1; seed <= SEEDS; seed++) {
    const [leak] = (await runScenario(scenario, seed)).leaks;
    if (leak !== undefined) return { name, detectedBy: `seed ${seed}: "${leak.field}" in ${leak.output}` };
  }
  return { name };
}
