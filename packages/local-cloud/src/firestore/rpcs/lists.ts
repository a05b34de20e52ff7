// The RPCs that list documents and collections, page by page.

import type { Rpc } from '../../protocol/services.ts';
import type { Engine, Snapshot } from '../engine/engine.ts';
import type { Planner } from '../indexes/planner.ts';
import { parseQuery } from '../query/query.ts';
import { runQuery } from '../query/runQuery.ts';
import { invalid } from '../values/errors.ts';
import { comparePaths, cutParentPath, documentWireName, parseParent } from '../values/names.ts';
import { compareStrings } from '../values/strings.ts';
import { type DocumentMessage, documentMessage, parseMask, parseReadSelector } from './messages.ts';
import type { Transactions } from './transactions.ts';

const DEFAULT_PAGE_SIZE = 300;

/** The RPCs by name. */
export function listRpcs(engine: Engine, transactions: Transactions, planner: Planner): Record<string, Rpc> {
  return {
    ListDocuments: {
      unary(request) {
        const { parent, collectionId, orderBy, showMissing, pageSize, pageToken } = request;
        const from = [{ collectionId }];
        const query = parseQuery(parent, { from, orderBy: parseOrderBy(orderBy ?? '') });
        planner.plan(query);
        const mask = parseMask(request.mask);
        const { snapshot, transaction } = parseReadSelector(engine, transactions, request);
        transaction?.readQuery(query);
        const found = runQuery(snapshot, query);
        const documents = found.map((document) => ({
          ...document,
          message: documentMessage(document, mask),
        }));
        if (!showMissing) {
          const { page, nextPageToken } = cutListPage(
            documents,
            documentWireName,
            byPlace(documents.map(documentWireName)),
            pageSize,
            pageToken,
          );
          return { documents: page.map(({ message }) => message), nextPageToken };
        }
        if (orderBy) throw invalid('show_missing cannot be used with order_by.');
        const messages = new Map<string, DocumentMessage>(
          documents.map((each) => [documentWireName(each), each.message]),
        );
        for (const name of missingDocuments(query.source, snapshot)) {
          if (!messages.has(name)) messages.set(name, { name });
        }
        const all = [...messages.values()].sort((left, right) => comparePaths(left.name, right.name));
        const { page, nextPageToken } = cutListPage(
          all,
          ({ name }) => name,
          comparePaths,
          pageSize,
          pageToken,
        );
        return { documents: page, nextPageToken };
      },
    },

    ListCollectionIds: {
      unary({ parent, pageSize, pageToken, readTime }) {
        const { database, path } = parseParent(parent);
        const { snapshot } = parseReadSelector(engine, transactions, { readTime });
        const start = path === '' ? 0 : path.length + 1;
        const below = snapshot.collectionsBelow(database, path);
        const ids = [...new Set(below.map((collection) => collection.slice(start).split('/')[0] ?? ''))];
        const { page, nextPageToken } = cutListPage(
          ids.sort(compareStrings),
          (id) => id,
          compareStrings,
          pageSize,
          pageToken,
        );
        return { collectionIds: page, nextPageToken };
      },
    },
  };
}

/** `a desc, b` as it stands in a request. */
function parseOrderBy(text: string): { field: { fieldPath: string }; direction: string }[] {
  if (text.trim() === '') return [];
  return text.split(',').map((each) => {
    const part = each.trim();
    if (part === '') throw invalid(`Invalid order by clause "${text}".`);
    const [, fieldPath = part, direction] = /^(.*?)(?:\s+(asc|desc))?$/is.exec(part) ?? [];
    const isDescending = direction?.toLowerCase() === 'desc';
    return { field: { fieldPath }, direction: isDescending ? 'DESCENDING' : 'ASCENDING' };
  });
}

/** Names of documents of a collection that do not exist, but have documents below them. */
function missingDocuments(
  { database, parent, collectionId }: { database: string; parent: string; collectionId?: string },
  snapshot: Snapshot,
): string[] {
  const depth = parent === '' ? 2 : parent.split('/').length + 2;
  const paths = snapshot
    .collectionsBelow(database, parent)
    .map((collection) => collection.split('/'))
    .filter((ids) => ids.length > depth && (collectionId === undefined || ids[depth - 2] === collectionId))
    .map((ids) => ids.slice(0, depth).join('/'));
  return [...new Set(paths)]
    .filter(
      (path) =>
        snapshot.get({ database, path }) === undefined && cutParentPath(cutParentPath(path)) === parent,
    )
    .map((path) => documentWireName({ database, path }));
}

/** Compares two texts by their position in a list. Texts that are not in it come first. */
const byPlace =
  (keys: string[]) =>
  (left: string, right: string): number =>
    keys.indexOf(left) - keys.indexOf(right);

/** One page of a list: the entries after the token, which is the last entry of the previous page. */
function cutListPage<T>(
  all: T[],
  keyOf: (entry: T) => string,
  compare: (left: string, right: string) => number,
  pageSize: number | undefined,
  pageToken: string | undefined,
): { page: T[]; nextPageToken: string } {
  if ((pageSize ?? 0) < 0) throw invalid('page_size must be greater than or equal to zero.');
  const last = Buffer.from(pageToken ?? '', 'base64').toString();
  if (Buffer.from(last).toString('base64') !== (pageToken ?? '')) throw invalid('invalid page token');
  const rest = last === '' ? all : all.filter((entry) => compare(keyOf(entry), last) > 0);
  const page = rest.slice(0, pageSize || DEFAULT_PAGE_SIZE);
  const end = page.at(-1);
  const isLast = end === undefined || page.length === rest.length;
  return { page, nextPageToken: isLast ? '' : Buffer.from(keyOf(end)).toString('base64') };
}
