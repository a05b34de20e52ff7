// Observations that a model invents: the runtime writes them, so everything behind one is made up.

const OBSERVATION = 'Observation:';
const MARKED_OBSERVATION = /^(?:#{1,6}\s*)?[*_`]{1,3}Observation(?:[*_`]{1,3}:|:)|^#{1,6}\s*Observation:/;
const BASED_ON = '[Based on';
/** An observation that holds one of these repeats what the model was asked; it is not an invented result. */
const REQUESTS = ['Please specify', 'what Action you want to take', 'Error in reasoning'];

/** Whether a trimmed line begins an invented result. */
export function isInvention(line: string): boolean {
  if (line.startsWith(BASED_ON)) return true;
  const observes = isObservation(line) || MARKED_OBSERVATION.test(line);
  return observes && !REQUESTS.some((request) => line.includes(request));
}

/** Whether a trimmed line has the header of an observation, also of one that repeats what the model was asked. */
export function isObservation(line: string): boolean {
  return line.startsWith(OBSERVATION);
}
