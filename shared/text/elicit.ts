// An agent's question to people: the payload of `elicit`, for its check, messages and the page.

/** Characters of a question, and of an option. */
const MAX_QUESTION = 1_000;
const MAX_OPTION = 200;
/** Options of a question. */
const MAX_OPTIONS = 10;

/** A question to people. */
export interface Elicit {
  /** One or several lines. */
  question: string;
  /** Answers to choose from; empty for any answer. */
  options: string[];
}

/** The form of the payload, for the agent whose payload differs. */
export const ELICIT_FORM = `"payload" of elicit needs "question", a text of at most ${MAX_QUESTION} characters, and can have "options", at most ${MAX_OPTIONS} texts of at most ${MAX_OPTION} characters.`;

/** The question of a payload; undefined for a payload of another form. */
export function readElicit(payload: unknown): Elicit | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { question, options = [] } = payload as { question?: unknown; options?: unknown };
  if (!isShortText(question, MAX_QUESTION)) return undefined;
  if (!Array.isArray(options) || options.length > MAX_OPTIONS) return undefined;
  return options.every((one) => isShortText(one, MAX_OPTION)) ? { question, options } : undefined;
}

function isShortText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= most;
}

/** The question and its options as text: one line for the options. */
export function elicitText({ question, options }: Elicit): string {
  return options.length === 0 ? question : `${question}\nOptions: ${options.join(' · ')}`;
}

/** A person's answer in words that agents understand without the question beside it. */
export function elicitAnswer({ question }: Elicit, answer: string): string {
  return `In answer to "${question}": ${answer}`;
}

/** Whether an event asks people, or is a message of a person, after which no question is open. */
export function isOfQuestion({ eventType, metadata }: { eventType: string; metadata: object }): boolean {
  if (eventType === 'action') return 'actionType' in metadata && metadata.actionType === 'elicit';
  return eventType === 'user_guidance' || eventType === 'user_question';
}
