// The RPCs that read and write single documents by their names.

import { randomInt } from 'node:crypto';
import type { Message } from '../../protocol/protoFiles.ts';
import type { Rpc } from '../../protocol/services.ts';
import { StatusError, status } from '../../protocol/status.ts';
import type { StoredDocument } from '../engine/documentStore.ts';
import type { Committer, Engine } from '../engine/engine.ts';
import { parseWrite, type WriteMessage } from '../engine/writes.ts';
import type { Limits } from '../limits/limits.ts';
import { invalid } from '../values/errors.ts';
import {
  checkCollectionId,
  type DocumentKey,
  documentWireName,
  joinPath,
  parseDatabase,
  parseDocumentName,
  parseParent,
} from '../values/names.ts';
import { toTimestamp } from '../values/time.ts';
import { encodeAnswer, encodeDocument } from './encodedDocuments.ts';
import { parseDatabaseDocument, parseMask, parseReadSelector, streamed, withMask } from './messages.ts';
import type { Transactions } from './transactions.ts';

/** Of ids that the service chooses, as clients do. */
const ID_LENGTH = 20;
const ID_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The RPCs by name. */
export function documentRpcs(
  engine: Engine,
  transactions: Transactions,
  commits: Committer,
  limits: Limits | undefined,
): Record<string, Rpc> {
  /** Commits one write and gives the document as it is then. */
  const writeOne = async (message: WriteMessage, key: DocumentKey, mask: Message): Promise<Message> => {
    const { time } = await commits.commit(key.database, [parseWrite(message, key.database)]);
    const document = engine.snapshot(time).get(key);
    return encodeDocument(withMask(document as StoredDocument, parseMask(mask)));
  };

  return {
    GetDocument: {
      unary(request) {
        const key = parseDocumentName(request.name);
        const mask = parseMask(request.mask);
        const { snapshot, transaction } = parseReadSelector(engine, transactions, request);
        transaction?.readDocument(key);
        limits?.addRead(key);
        const document = snapshot.get(key);
        if (document !== undefined) return encodeDocument(withMask(document, mask));
        throw new StatusError(status.NOT_FOUND, `Document "${documentWireName(key)}" not found.`);
      },
    },

    BatchGetDocuments: streamed(function* (request) {
      const database = parseDatabase(request.database);
      const names = new Set<string>(request.documents ?? []);
      const keys = [...names].map((name) => parseDatabaseDocument(database, name));
      const mask = parseMask(request.mask);
      const { snapshot, transaction, newTransaction } = parseReadSelector(engine, transactions, request);
      if (newTransaction !== undefined) yield { transaction: newTransaction };
      const readTime = toTimestamp(snapshot.time);
      for (const key of keys) {
        transaction?.readDocument(key);
        limits?.addRead(key);
        const document = snapshot.get(key);
        if (document === undefined) yield { missing: documentWireName(key), readTime };
        else yield encodeAnswer('BatchGetDocumentsResponse', withMask(document, mask), { readTime });
      }
    }),

    CreateDocument: {
      unary({ parent, collectionId, documentId, document, mask }) {
        if (document?.name) throw invalid('document.name must not be set');
        const { database, path } = parseParent(parent);
        checkCollectionId(collectionId ?? '');
        const id = documentId || newId();
        const key = parseDocumentName(
          documentWireName({ database, path: joinPath(joinPath(path, collectionId ?? ''), id) }),
        );
        const update = { name: documentWireName(key), fields: document?.fields ?? {} };
        return writeOne({ update, currentDocument: { exists: false } }, key, mask);
      },
    },

    UpdateDocument: {
      unary({ document, updateMask, currentDocument, mask }) {
        const write = { update: document ?? {}, updateMask, currentDocument };
        return writeOne(write, parseDocumentName(document?.name), mask);
      },
    },

    DeleteDocument: {
      async unary({ name, currentDocument }) {
        const { database } = parseDocumentName(name);
        await commits.commit(database, [parseWrite({ delete: name, currentDocument }, database)]);
        return {};
      },
    },
  };
}

const newId = (): string =>
  Array.from({ length: ID_LENGTH }, () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)]).join('');
