// The ledger of an agent: the hypotheses, evidence and tests that it states while it investigates.

/** The entry of an agent's tools with which it keeps a ledger, where it is offered a tool of a server. */
export const KEEPS_LEDGER = 'inquest.ledger';

/** The entry beside it of an agent that cannot conclude without a statement in its ledger. */
export const REQUIRES_LEDGER = 'inquest.ledger-required';

/** The tool, as models call it. */
export const LEDGER = 'ledger';

/** Whether a call states something in the ledger: it reads nothing, and nothing leaves the session. */
export const isLedgerCall = ({ name }: { name: string }): boolean => name === LEDGER;

/** How many calls of an answer are calls of tools: those of the ledger do not count. */
export const countCalls = (calls: readonly { name: string }[]): number =>
  calls.filter((call) => !isLedgerCall(call)).length;
