// The terms of docs/glossary.md that pages show, with the same texts.

/** A sentence for each word. */
export const GLOSSARY = {
  canary: 'The hourly test alert that shows that alerts arrive. It opens no session.',
  chain: 'The stages of an investigation, and the agents of each, as chains.yaml names them.',
  circuit: 'It opens after failures of a server or model in a row: calls then fail at once, for a while.',
  contrast: 'The same call for a healthy sibling or an earlier time, to see what differs.',
  deferred: 'Stored and not investigated yet, because of a budget, a rule or the state of the alert.',
  fate: 'The outcome of an alert, with the rule that decided it: opened, joined, deferred, dropped or refused.',
  iteration: 'One request to the model, with the tool calls that follow from its answer.',
  ledger: 'The hypotheses of an analysis, and the evidence for and against each.',
  session: 'One investigation of an alert, one chat, or one run of a check.',
  settle: 'The time that a chain waits before it investigates, in case that the alert resolves itself.',
  stage: 'A step of a chain: its agents work side by side, and the next stage gets their findings.',
  sweep: 'The run of every minute that continues interrupted work.',
  synthesis: 'An agent that combines the findings of a stage into one analysis.',
  triage: 'The rules that decide whether an alert is investigated, only recorded, or dropped.',
  verdict: 'The decision of code, not of the model, on how far the evidence proves the cause.',
} as const;
