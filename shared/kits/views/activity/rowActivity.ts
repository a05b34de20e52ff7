// Adds facts to rows of a list that their documents lack: the agents that run, and the start of an analysis
// that has no summary.

import * as z from 'zod';
import type { RawDocuments } from '../../../contract/rawDocuments.ts';
import { isTerminal } from '../../../core/schema/common.ts';
import { paths } from '../../../core/schema/coreDocuments.ts';
import { textAt } from '../fieldAt.ts';
import { type SessionRow, sessionRowSchema } from '../sessionRow.ts';
import { OPEN_FIELDS, type OpenExecution, readOpenExecution } from './openExecutions.ts';

/** A session in a list, with its running agents. */
export const listedSessionSchema = sessionRowSchema.extend({
  agents: z
    .array(
      z.strictObject({
        agentName: z.string(),
        status: z.string().describe('`pending`, `active`, or `waiting` for other agents or people'),
        iteration: z.int(),
        outageCode: z.string().nullable().describe('Why its model does not answer'),
      }),
    )
    .describe('Agents that run, at most 10'),
  analysisStart: z
    .string()
    .nullable()
    .describe('The first paragraph of the analysis, if there is no executive summary'),
});
type RowActivity = Pick<z.infer<typeof listedSessionSchema>, 'agents' | 'analysisStart'>;

const LONGEST = 300;
/** Agents of a row. */
const MAX_AGENTS = 10;
/** Executions of a session that are read. */
const MAX_EXECUTIONS = 50;
const RUNNING = new Set(['in_progress', 'cancelling']);

/**
 * The activity of the sessions of a page, in its order.
 * @throws RetryableError when the store fails.
 */
export async function rowActivities(
  rows: readonly SessionRow[],
  { documents }: { documents: Pick<RawDocuments, 'list' | 'getMany'> },
): Promise<RowActivity[]> {
  const withoutSummary = rows.filter((row) => row.status === 'completed' && row.executiveSummary === null);
  const [agents, read] = await Promise.all([
    Promise.all(
      rows.map(({ sessionId, status }) =>
        RUNNING.has(status ?? '') ? readAgents(sessionId, documents) : [],
      ),
    ),
    documents.getMany(
      withoutSummary.map(({ sessionId }) => paths.session(sessionId)),
      ['finalAnalysis'],
    ),
  ]);
  const analyses = new Map(read.map(({ id, fields }) => [id, textAt(fields, 'finalAnalysis')]));
  return rows.map(({ sessionId }, index) => ({
    agents: agents[index] ?? [],
    analysisStart: firstParagraph(analyses.get(sessionId) ?? ''),
  }));
}

/** The agents of a session that runs. */
async function readAgents(
  sessionId: string,
  documents: Pick<RawDocuments, 'list'>,
): Promise<RowActivity['agents']> {
  const query = { collection: paths.executions(sessionId), limit: MAX_EXECUTIONS, fields: OPEN_FIELDS };
  const open = (await documents.list(query)).map(readOpenExecution);
  return open
    .filter(({ status }) => !isTerminal(status))
    .slice(0, MAX_AGENTS)
    .map(toRowAgent);
}

const toRowAgent = ({
  agentName,
  status,
  iteration,
  outageCode,
}: OpenExecution): RowActivity['agents'][number] => ({
  agentName,
  status,
  iteration,
  outageCode,
});

/** The first paragraph of a markdown text that is not a heading, without its bold start and its marks. */
export function firstParagraph(markdown: string): string | null {
  // A paragraph far from the start is not searched for: the text can be large.
  const paragraphs = markdown.slice(0, 10 * LONGEST).split(/\n\s*\n/);
  const words = paragraphs.map(joinParagraphWords).find((text) => text !== '');
  if (words === undefined) return null;
  return words.length > LONGEST ? `${words.slice(0, LONGEST - 1).trimEnd()}…` : words;
}

/** A bold start up to a colon or line end: `**Root cause** (confidence: high):`. Marks count zero. */
const LEAD_IN = /^\0[^\0\n]{1,60}(?::\0|\0[ \t]*(?:\([^)\n]{0,60}\)[ \t]*)?(?:[:\n]|$))/;

/** The words of a paragraph on one line; '' for a heading. */
function joinParagraphWords(paragraph: string): string {
  const text = paragraph.replace(/^#{1,6}\s.*$/gm, '').replace(/[*_`]+/g, '\0');
  const words = text.trim().replace(LEAD_IN, '').replaceAll('\0', '').trim();
  return words.replace(/^(?:[-•]|\d+\.)\s/, '').replace(/\s+/g, ' ');
}
