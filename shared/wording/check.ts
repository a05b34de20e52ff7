// The task of a check: no alert fired, a person wants to know whether all is well.

/** The end of the first user message of a check. @param question of its author; null for an alert. */
export function checkPrompt(question: string | null): string {
  return [
    'This is a check, not an incident: the system can be healthy. The alert above only names the subject.',
    ...(question === null ? [] : [`The question of the author of this check: ${question}`]),
    'End your final analysis with exactly one of these two lines. Choose the second if a person must look at it, and if you could not find out:',
    'Check result: healthy\nCheck result: attention',
  ].join('\n\n');
}
