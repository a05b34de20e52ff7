// Commands for operators in summaries and analyses: page and messages recognise the same ones. Pure.

/** A command, and the text that names it. */
export interface NextStep {
  /** `Do now`, `Roll back`. */
  label: string;
  command: string;
}

/** Programs that commands of operators start with. */
const PROGRAMS =
  /^(?:sudo )?(?:kubectl|helm|gcloud|gsutil|bq|aws|az|oc|docker|podman|nerdctl|crictl|systemctl|journalctl|terraform|argocd|flux|istioctl|psql|mysql|redis-cli|mongosh|curl|ssh|git|nomad|consul|vault|eksctl|ansible(?:-playbook)?|rabbitmqctl|kafka-[\w-]+|doctl) \S/;
/** Words of sentences that follow a command without quotes. Such a line is not taken as a command. */
const PROSE = /[,;] | (?:and|then|or|to|if|because|which|so|until|before|after) /;
const LABEL = /^(?:[-*•]\s+|\d+[.)]\s*)?(?:\*\*)?([^:`]{2,40}?)(?:\*\*)?:(?:\*\*)?\s+(.+)$/;
/** Headings of the parts of an analysis that name next steps. */
export const NEXT_STEPS = /what to do|do now|next steps?|mitigat|recommend|remed|fix|action/i;
/** The label of a command that no text names. */
export const DEFAULT_LABEL = 'Do now';

/** Whether code in a text is a command, as a rule: it has a space in it. */
export function isCommand(code: string): boolean {
  return code.length >= 12 && /^\S+ \S/.test(code);
}

/** Whether a line is a command of an operator, and no sentence that starts with one. */
export function isCommandLine(line: string): boolean {
  return PROGRAMS.test(line) && !PROSE.test(line) && !line.includes('\n');
}

/**
 * The command that a line of a summary has. One without quotes is taken only where the whole line is one, or
 * where the analysis has the same command as code: a copied command has to be exact.
 * @param codes the code of the analysis.
 */
export function stepInLine(line: string, codes: readonly string[]): NextStep | undefined {
  const [, label = DEFAULT_LABEL, text = line] = LABEL.exec(line) ?? [];
  const quoted = /^`([^`]+)`[.\s]*$/.exec(text)?.[1];
  if (quoted !== undefined && isCommand(quoted)) return { label, command: quoted };
  const command = text.replace(/\.$/, '');
  if (codes.includes(command) || codes.includes(text))
    return { label, command: codes.includes(text) ? text : command };
  return isCommandLine(command) ? { label, command } : undefined;
}
