// `work`: the actions of people on a session. Without a kind it lists the entries.

import { Argument, Option } from 'commander';
import { MAX_WORK, MAX_WORK_TEXT, WORK_KINDS, type WorkKind } from '../../../shared/kits/work/work.ts';
import { reviewDetails } from '../../../shared/kits/work/workText.ts';
import type { Review } from '../../../shared/search/review.ts';
import { MECHANISMS } from '../../../shared/text/mechanisms.ts';
import { type Answer, type Call, linesOr, plannedCommand, request, type Work } from '../../api/command.ts';
import { byOption, SESSION_ARGUMENT } from '../../options/commandOptions.ts';
import { pageOptions } from '../../options/parameterOption.ts';
import { printableText } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const LIST = 'GET /v1/sessions/{sessionId}/work';
const ADD = 'POST /v1/sessions/{sessionId}/work';

const HELP = `
Kinds: \`claim\` (you work on it), \`release\`, \`note TEXT\`, \`action TEXT\` (a change that you made), \`resolve [TEXT]\`, and
\`review\` with --rating. Entries are masked, stand in the timeline, and are never changed; ended sessions accept them, too. Of
several reviews by one person, the newest counts. Without a kind, the command lists all entries.
`;

interface Options {
  rating?: Review['rating'];
  cause?: string;
  component?: string;
  mechanism?: string;
  action?: string;
  missed?: string;
}

/** The command `work`. */
export const work = plannedCommand({
  name: 'work',
  args: [
    SESSION_ARGUMENT,
    new Argument('[kind]', WORK_KINDS.join(', ')),
    new Argument('[text]', `at most ${MAX_WORK_TEXT.toLocaleString('en')} characters`),
  ],
  options: [
    new Option('--rating <rating>', 'of a review').choices(['right', 'partly', 'wrong']),
    new Option('--cause <text>', 'the cause that you know, in a review'),
    new Option('--component <name>', 'the thing that failed, in a review'),
    new Option('--mechanism <name>', 'how it failed, in a review').choices(MECHANISMS),
    new Option('--action <text>', 'the action that helped, in a review'),
    new Option('--missed <text>', 'the missed part of the analysis, in a review'),
    ...pageOptions(MAX_WORK, MAX_WORK),
    byOption('who'),
  ],
  json: 'print JSON',
  help: HELP,
  plan: planWork,
});

function planWork([, kind, text]: [string, string?, string?], options: Options): Work {
  if (kind === undefined)
    return request({ route: LIST, pages: 'entries', pageSize: MAX_WORK, print: workLines });
  const known = WORK_KINDS.find((one) => one === kind);
  if (known === undefined)
    throw new UsageError(`there is no kind ${kind}; it is one of ${WORK_KINDS.join(', ')}`);
  const review = readReview(known, options);
  return request({
    route: ADD,
    send: () => ({ kind, text, review }),
    print: ({ entry }, { sessionId }) => `session ${sessionId} has entry ${entry.number}: ${entry.kind}`,
  });
}

/** The review of the options. @throws UsageError without a rating, or with one for another kind. */
function readReview(kind: WorkKind, options: Options): object | undefined {
  const { rating, cause: text, component, mechanism, action, missed } = options;
  const given = { rating, text, component, mechanism, action, missed };
  const isAny = Object.values(given).some((value) => value !== undefined);
  if (kind !== 'review') {
    if (isAny) throw new UsageError('--rating and its details belong to the kind `review`');
    return undefined;
  }
  if (rating === undefined) throw new UsageError('a review needs --rating right, partly or wrong');
  const cause = { component, mechanism, text };
  const hasCause = Object.values(cause).some((value) => value !== undefined);
  return { rating, action, missed, ...(hasCause && { cause }) };
}

type Listed = Answer<typeof LIST>;

function workLines({ entries, claimedBy }: Listed, { sessionId }: Call): string[] {
  return [
    ...linesOr(entries.flatMap(entryLines), `session ${sessionId} has no entries`),
    ...(claimedBy === null ? [] : [`claimed by ${printableText(claimedBy)}`]),
  ];
}

function entryLines({ number, kind, text, by, createdAt, review }: Listed['entries'][number]): string[] {
  const details = [...(text === null ? [] : [text]), ...reviewDetails(review)];
  const rating = review === null ? '' : ` ${review.rating}`;
  return [
    `${number}  ${createdAt}  ${printableText(by)}: ${kind}${rating}`,
    ...details.flatMap((one) => printableText(one).split('\n')).map((line) => `   ${line}`),
  ];
}
