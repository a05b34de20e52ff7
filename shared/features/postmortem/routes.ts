// The route of postmortems: a draft of one or several sessions.

import * as z from 'zod';
import { noAnswer, readWholeAnswer } from '../../api/foreignClients/followAnswer.ts';
import { invalidField, Problem } from '../../api/http/problem.ts';
import { questionProblem } from '../../api/http/questionProblem.ts';
import { type Caller, defineRoute, type RequestDeps } from '../../api/http/route.ts';
import { sessionParams, unknownSession } from '../../api/http/schemas.ts';
import {
  MAX_TEMPLATE,
  type PostmortemTemplate,
  readPostmortemTemplate,
} from '../../contract/postmortemTemplate.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { askQuestion } from '../../kits/questions/askQuestion.ts';
import { composeDraft } from './composeDraft.ts';
import { collectFacts, type IncidentFacts } from './facts.ts';
import { POSTMORTEM_FORMS } from './forms.ts';
import { checkProse, FACTS, type Prose, proseAgent, QUESTION } from './prose.ts';

const bodySchema = z.strictObject({
  sessions: z
    .array(sessionParams.shape.sessionId)
    .min(1)
    .max(20)
    .describe(
      'The sessions of the incident; the first one gives title and severity, and answers for the prose',
    ),
  form: z
    .enum(['incident', 'short'])
    .optional()
    .describe('A form that comes with Inquest. Default: postmortem.md of the configuration, else `incident`'),
  template: z
    .string()
    .min(1)
    .max(MAX_TEMPLATE)
    .optional()
    .describe('A template in Markdown, instead of a form'),
  facts: z.boolean().default(false).describe('Whether no model is asked; the prose is then made of facts'),
  origin: z
    .url({ protocol: /^https?$/ })
    .max(300)
    .optional()
    .describe('Where the page is, for links. Default: links start with `/s/`'),
});
type Body = z.infer<typeof bodySchema>;

const create = defineRoute({
  method: 'post',
  path: '/v1/postmortems',
  id: 'createPostmortem',
  summary: 'A draft of a postmortem, of the stored documents of one or several sessions',
  description:
    'Every statement has a link to its event. A model writes summary, impact and resolution in one call, as a question of the first session; sentences with a value that no fact has are left out. Unknown parts stay marked gaps. Nothing is stored beside the question.',
  role: 'responder',
  body: bodySchema,
  status: 200,
  answer: z.strictObject({
    markdown: z.string(),
    gaps: z.array(z.string()).describe('The marked gaps of the draft'),
    leftOut: z.int().describe('Sentences of the model that no fact supports'),
  }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE', 'SESSION_BUSY', 'BUDGET_REACHED', 'ANSWER_FAILED'],
  async handle({ body, caller }, deps, context) {
    const template = chooseTemplate(body, deps);
    const sessions = await readSessions([...new Set(body.sessions)], deps);
    const incident = await collectFacts(sessions, template, deps);
    const request = { caller, signal: context.req.raw.signal };
    const prose = body.facts ? undefined : await askForProse(sessions[0], incident, request, deps);
    const origin = body.origin === undefined ? '' : new URL(body.origin).origin;
    return { ...composeDraft(incident, template, { origin, prose }), leftOut: prose?.leftOut ?? 0 };
  },
});

function chooseTemplate({ template, form }: Body, { config }: RequestDeps): PostmortemTemplate {
  const own = form === undefined ? config.postmortem : undefined;
  const read = readPostmortemTemplate(template ?? own ?? POSTMORTEM_FORMS[form ?? 'incident']);
  if ('fault' in read) throw invalidField('body.template', read.fault);
  return read;
}

/** @throws Problem `SESSION_UNKNOWN` for the first one that does not exist. */
async function readSessions(ids: readonly string[], { store }: RequestDeps): Promise<Session[]> {
  const found = await Promise.all(ids.map((id) => store.get(paths.session(id), sessionType)));
  return found.map((stored, index) => {
    if (stored === undefined) throw unknownSession(ids[index] ?? '');
    return stored.value;
  });
}

/**
 * Asks the first session for the prose.
 * @throws Problem when the question is refused or has no answer.
 */
async function askForProse(
  session: Session | undefined,
  { facts }: IncidentFacts,
  { caller, signal }: { caller: Caller; signal: AbortSignal },
  deps: RequestDeps,
): Promise<Prose> {
  const { chat } = session?.chain ?? {};
  if (session === undefined || chat === undefined)
    throw new Problem('SESSION_STATE', 'the chain of the session answers no questions: ask with facts');
  const listed = facts.map(({ id, at, text }) => `${id} ${at.toISOString()} ${text}`).join('\n');
  const input = {
    text: QUESTION,
    findings: [{ agent: FACTS, analysis: listed }],
    by: caller.name,
    userId: caller.userId,
    agent: proseAgent(chat),
    config: deps.config,
  };
  const outcome = await askQuestion(session.sessionId, input, deps);
  if (outcome.kind !== 'asked') throw questionProblem(session.sessionId, outcome, deps.clock.now());
  const { content, execution, final } = await readWholeAnswer(outcome, { asJson: true, signal }, deps);
  if (content === null)
    throw new Problem('ANSWER_FAILED', `${noAnswer(execution).message}; with facts no model is asked`);
  return checkProse(final?.metadata.output ?? '', facts);
}

/** The route of postmortems. */
export const POSTMORTEM_ROUTES = [create];
