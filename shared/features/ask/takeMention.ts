// A mention of the app outside of the threads of sessions: `deliver` checks the person, reads the thread,
// stores the question, and requests its session. A process that dies in between does it again.

import type { ChatMessage, ConfiguredDestination } from '../../contract/destination.ts';
import { type Stored, saveDocument } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import { findSessionId } from '../../kits/alerts/fates/alertKey.ts';
import { findResponder } from '../../kits/deliveries/checkPerson.ts';
import type { InboxResult, Mention, MentionDeps, MentionTaker } from '../../kits/deliveries/mentionTaker.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { type Ask, askType, deriveAskId, deriveAskKey, publishAsk } from './ask.ts';
import { composeAskText } from './askText.ts';
import { readCard } from './cards.ts';

/** Longer questions are reports: their place is the thread. */
const MAX_QUESTION = 4_000;
/** As long as Pub/Sub can deliver the message again. A session that is opened brings its own time. */
const KEEP_MS = 31 * 24 * 3_600_000;
const VISIBLE = /[^\s\p{Cc}\p{Cf}\ufffd]/u;

/** Opens sessions for questions in the places of destinations that have `asks`. */
export const ASKS: MentionTaker = {
  async find({ thread, message, destinations }, deps) {
    const ask = (await deps.store.get(askType.paths.ask(deriveAskId(thread)), askType))?.value;
    if (ask === undefined || !destinations.includes(ask.destination)) return undefined;
    const sessionId = ask.sessionId ?? (await findSessionId(deriveAskKey(ask.askId), deps));
    if (sessionId !== undefined) return { sessionId, destination: ask.destination };
    if (ask.reason !== null || ask.message === message) return undefined;
    throw new RetryableError('STORE_CONFLICT', 'the session of this thread is not opened yet');
  },

  async take(mention, deps) {
    const found = await findAsker(mention, deps);
    if (found === undefined || 'outcome' in found) return found;
    const { name } = found;
    const fault = findFault(mention.text);
    if (fault !== undefined) return { ...fault, destination: name };
    const askId = deriveAskId(mention.thread);
    const earlier = await deps.store.get(askType.paths.ask(askId), askType);
    if (earlier !== undefined && earlier.value.destination !== name)
      return {
        outcome: 'other_app',
        destination: name,
        reason: 'Another app of Inquest answers in this thread.',
      };
    const isCopy = earlier?.value.message === mention.message;
    // The thread has the reason.
    if (isCopy && earlier.value.reason !== null)
      return { outcome: 'refused', destination: name, reason: null };
    // One that was refused is asked again by the next mention.
    if (earlier?.value.reason === null && !isCopy) throw wasFaster();
    const ask = isCopy ? earlier.value : await storeAsk(mention, found, earlier, deps);
    await publishAsk(deps.publisher, ask);
    return { outcome: 'opened', destination: name, reason: null };
  },
};

/** A person who can ask, and the destination that takes the question. */
interface Asker {
  name: string;
  configured: ConfiguredDestination;
  chain: string;
  email: string;
  tenantId: string;
}

/**
 * Finds the destination of the place that shows the person's tenant; undefined if the app takes no questions.
 */
async function findAsker(
  { destinations, thread, person }: Mention,
  deps: MentionDeps,
): Promise<Asker | InboxResult | undefined> {
  let refusal: InboxResult | undefined;
  for (const name of destinations) {
    const configured = await deps.destinations(name);
    const { destination, asks, tenants } = configured ?? {};
    if (configured === undefined || asks === undefined) continue;
    if (destination?.hasPlace?.(thread) !== true) {
      refusal ??= { outcome: 'no_place', destination: name, reason: NO_PLACE };
      continue;
    }
    const check = await findResponder(person, configured, deps);
    if (check.kind === 'refused')
      return { outcome: check.failure.code, destination: name, reason: check.failure.message };
    const { email, tenantId } = check;
    if (tenants?.includes(tenantId)) return { name, configured, chain: asks.chain, email, tenantId };
    refusal = { outcome: 'other_tenant', destination: name, reason: OTHER_TENANT };
  }
  return refusal;
}

const NO_PLACE =
  'No question is answered in this channel: no entry of destinations.yaml with `asks` names it.';
const OTHER_TENANT = 'Your role is for a tenant that this channel does not show.';

function findFault(text: string): { outcome: string; reason: string } | undefined {
  if (!VISIBLE.test(text))
    return {
      outcome: 'empty',
      reason: 'Write a question behind the mention, such as: why is checkout slow since ten?',
    };
  const characters = [...text].length;
  if (characters <= MAX_QUESTION) return undefined;
  const reason = `The question has ${characters} characters, and ${MAX_QUESTION} are read: write the rest into the thread before.`;
  return { outcome: 'too_long', reason };
}

/**
 * Reads the thread and stores the question with it.
 * @throws RetryableError when the service does not answer, or another mention of the thread was faster.
 */
async function storeAsk(
  mention: Mention,
  { name, configured, chain, email, tenantId }: Asker,
  earlier: Stored<Ask> | undefined,
  deps: MentionDeps,
): Promise<Ask> {
  const { thread, message, text } = mention;
  const now = deps.clock.now();
  const masker = deps.maskerFor(deps.newId().replaceAll('-', '').slice(0, 32));
  const clean = (dirty: string): string => cleanText(masker, dirty).text;
  const { messages, note } = await readThread(mention, configured);
  const cards = messages.flatMap((one) => readCard(one, masker) ?? []);
  const shown = cards.findLast(({ status }) => status === 'firing') ?? cards.at(-1);
  const own = messages.find(({ ref }) => ref === message);
  const others = messages.filter(({ ref }) => ref !== message);
  const question = clean(text.trim());
  const ask: Ask = {
    askId: deriveAskId(thread),
    tenantId,
    by: email,
    destination: name,
    source: configured.destination.kind,
    chain,
    thread,
    message,
    question,
    body: clean(composeAskText({ question, messages: others, mention: own, cards, note })),
    severity: shown?.severity ?? null,
    labels: shown?.labels ?? {},
    sessionId: null,
    reason: null,
    createdAt: now,
    expireAt: new Date(now.getTime() + KEEP_MS),
  };
  const { ok } = await deps.store.commit([
    saveDocument(askType.paths.ask(ask.askId), askType, ask, earlier?.version),
  ]);
  if (!ok) throw wasFaster();
  return ask;
}

/** The next attempt finds the session of the other mention. */
const wasFaster = () =>
  new RetryableError('STORE_CONFLICT', 'another mention of this thread was stored first');

/** The newest messages of the thread, and a note about missing ones. */
async function readThread(
  { thread, message }: Mention,
  { destination }: ConfiguredDestination,
): Promise<{ messages: ChatMessage[]; note: string | null }> {
  const read = await destination.readThread?.(thread, message);
  if (read?.outcome === 'failed')
    throw new RetryableError('SOURCE_UNAVAILABLE', `the thread was not read: ${read.failure.message}`);
  if (read?.outcome !== 'found')
    return { messages: [], note: `The thread was not read: ${read?.failure.message ?? 'it has none'}` };
  const { messages, others } = read;
  if (others === 0) return { messages, note: null };
  const note =
    others === null
      ? 'Only the oldest part of the thread was read: Slack limits how much this app can read.'
      : `At least ${others} earlier messages of the thread are left out.`;
  return { messages, note };
}
