// The messages of a client as one question. Earlier ones are text of the caller, never instructions.

/** A message of any wire, with its readable text. */
export interface ClientMessage {
  /** Who speaks. Messages of other roles (tools) are left out. */
  role: string;
  /** The text; empty for one without text. */
  text: string;
}

const NAMES = new Map([
  ['system', 'Instructions'],
  ['developer', 'Instructions'],
  ['user', 'User'],
  ['assistant', 'Assistant'],
]);

/** The last message as the question, after earlier ones unless the session has them (`hasHistory`). */
export function composeQuestion(messages: readonly ClientMessage[], hasHistory: boolean): string {
  const question = messages.at(-1)?.text.trim() ?? '';
  const before = messages.slice(0, -1).flatMap(({ role, text }) => {
    const name = NAMES.get(role);
    return name === undefined || text.trim() === '' ? [] : [`${name}: ${text.trim()}`];
  });
  if (hasHistory || before.length === 0 || question === '') return question;
  return `What was said before, oldest first:\n\n${before.join('\n\n')}\n\nThe question now:\n\n${question}`;
}
