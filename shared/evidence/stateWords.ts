// Words for states and for their opposites.

/** Whether a word means a state: true or false for the opposite, undefined for other words. */
type Polarity = (word: string) => boolean | undefined;

const UP =
  'run(?:s|ning|nable)?|started|active|alive|up|online|streaming|available|reachable|connected|established';
const DOWN =
  'stop(?:s|ped)?|dead|exited|down|offline|fail\\w*|fault\\w*|crash\\w*|terminated|evicted|pending|maint\\w*|suspended|idle|sleep\\w*|asleep';
const WELL = 'health\\w*|pass\\w*|green|ok|normal|success\\w*|succeeded|stable|valid';
const ILL = 'degraded|fault\\w*|red|critical|error\\w*|alarm\\w*|alert\\w*|firing|expired|stale|rebalanc\\w*';

/** What a word means without its prefix: `unready`, `inactive`, `disconnected`, `notready`, `outofsync`. */
const OPPOSITE = /^(?:un|in|dis|non|not|outof)(?=\p{L}{2})/u;

function polarityOf([is, isNot]: readonly [string, string]): Polarity {
  const [yes, no] = [new RegExp(`^(?:${is})$`), new RegExp(`^(?:${isNot})$`)];
  const read = (word: string): boolean | undefined => yes.test(word) || (no.test(word) ? false : undefined);
  const known = new Map<string, boolean | undefined>();
  return (word) => {
    if (known.has(word)) return known.get(word);
    const plain = read(word);
    const opposite =
      plain === undefined && OPPOSITE.test(word) ? read(word.replace(OPPOSITE, '')) : undefined;
    const is = plain ?? (opposite === undefined ? undefined : !opposite);
    if (known.size < MOST_KNOWN) known.set(word, is);
    return is;
  };
}
/** Results repeat their words. */
const MOST_KNOWN = 5000;

/** States with the words for them and for their opposites. */
const STATES: readonly (readonly [is: string, isNot: string])[] = [
  ['ready', '(?!)'],
  [UP, DOWN],
  [`${WELL}|up`, `${ILL}|fail\\w*|failing|down|maint\\w*`],
  ['open', 'closed?'],
  ['accepted|allow\\w*|granted|permitted|approved', 'refused|reject\\w*|den(?:y|ied)|forbidden|blocked'],
  ['enabled?|on', 'disabled?|off'],
  ['sync|in-?sync|synced|current', 'stale|lagging|behind'],
  ['done|finished|complete[d]?', 'running|pending|queued|waiting|issuing'],
  ['readonly|ro', 'writable|readwrite|rw'],
];
export const POLARITIES: readonly Polarity[] = STATES.map(polarityOf);

/** Whether a word is listed as a state. */
export const isStateWord = (word: string): boolean =>
  POLARITIES.some((polarity) => polarity(word) !== undefined);

/** Good and bad states of any kind. */
export const GOOD: Polarity = polarityOf([
  `ready|${UP}|${WELL}|complet\\w*|synced`,
  `${DOWN}|${ILL}|disabled`,
]);

/** A word without its prefix, without its ending, and whether the prefix negates it. */
export function stateStem(word: string): { plain: string; stem: string; isOpposite: boolean } {
  const plain = word.replace(OPPOSITE, '');
  const stem = plain.replace(/(?<=\p{L}{3})(?:e[ds]?|ing|able)$/u, '');
  return { plain, stem, isOpposite: plain !== word };
}
