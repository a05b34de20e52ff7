// The knowledge of a Listen client: a query's documents and, as proof, a marker's.

import type { Listening, RawClient } from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import type { Message } from '../../packages/local-cloud/src/protocol/protoFiles.ts';

const QUERY = 1;
const MARKERS = 2;

/**
 * A client that listens to a query of a project, as Google's client does: it keeps its token and resumes with
 * it.
 * @param retries whether it also resumes after an unreadable response, as Google's client does. Google's
 *   emulator rarely mixes the frames of two responses on a busy machine: the header of one precedes the
 *   message of the other. For the local cloud it stays false, and the view fails.
 */
export function openView(
  client: RawClient,
  projectId: string,
  structuredQuery: Message,
  { retries = false } = {},
) {
  const database = `projects/${projectId}/databases/(default)`;
  const parent = `${database}/documents`;
  const known = new Map<string, Message>();
  const markers = new Set<string>();
  let token: Buffer | undefined;
  let listening: Listening | undefined;
  let changed = Promise.withResolvers<void>();
  let failure: Error | undefined;
  /** How many documents were sent for the query. */
  let sent = 0;

  const target = (targetId: number, query: Message, resumeToken?: Buffer) => ({
    addTarget: { targetId, query: { parent, structuredQuery: query }, ...(resumeToken && { resumeToken }) },
  });
  const restart = () => {
    known.clear();
    listening?.send({ removeTarget: QUERY });
    listening?.send(target(QUERY, structuredQuery));
  };
  const receive = ({ targetChange, documentChange, documentDelete, documentRemove, filter }: Message) => {
    if (targetChange?.targetChangeType === 'RESET' && targetChange.targetIds.includes(QUERY)) known.clear();
    if (targetChange?.resumeToken?.length) token = targetChange.resumeToken;
    if (documentChange?.targetIds?.includes(QUERY)) {
      sent += 1;
      known.set(documentChange.document.name, documentChange.document);
    }
    if (documentChange?.targetIds?.includes(MARKERS)) markers.add(documentChange.document.name);
    const gone = documentDelete ?? documentRemove ?? documentChange;
    if (gone?.removedTargetIds?.includes(QUERY)) known.delete(gone.document.name ?? gone.document);
    if (filter?.targetId === QUERY && (filter.count ?? 0) !== known.size) restart();
    changed.resolve();
    changed = Promise.withResolvers();
  };

  const view = {
    /** @param server the one to listen to from now on; the first one when absent. */
    connect(server = client) {
      if (listening !== undefined) return;
      const own = server.listen(
        database,
        (message) => own === listening && receive(message),
        (error) => {
          // A call that this client cancels also ends with an error.
          if (own !== listening) return;
          if (retries && isUnreadable(error)) {
            view.disconnect();
            view.connect(server);
            return;
          }
          failure = error;
          changed.resolve();
        },
      );
      listening = own;
      own.send(target(QUERY, structuredQuery, token));
      own.send(target(MARKERS, { from: [{ collectionId: 'marker' }] }));
    },
    disconnect() {
      const own = listening;
      listening = undefined;
      own?.end();
    },
    /** Resolves after `count` markers: all earlier commits have been seen. */
    async settled(count = 1): Promise<void> {
      while (markers.size < count) {
        if (failure !== undefined) throw failure;
        await changed.promise;
      }
    },
    /** The documents, by their names. */
    documents: (): Message => [...known.values()].sort((left, right) => (left.name < right.name ? -1 : 1)),
    sent: () => sent,
  };
  view.connect();
  return view;
}

/** Whether grpc-js could not read a response: its length, or its content. */
const isUnreadable = ({ message }: Error): boolean =>
  /Response message parsing error|Received message larger than max|compressed/.test(message);
