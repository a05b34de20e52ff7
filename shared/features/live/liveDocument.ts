// The document of a streaming answer. One holder at a time writes it, and it is deleted when the answer ends.

import {
  deleteDocument,
  putDocument,
  replaceDocument,
  type Store,
  type Version,
  type Write,
} from '../../core/contract/store.ts';
import { type LiveText, liveTextType } from '../../kits/live/liveText.ts';

/** The document as its writer knows it. */
export class LiveDocument {
  readonly #path: string;
  readonly #store: Pick<Store, 'commit'>;
  #written: { value: LiveText; version: Version | undefined } | undefined;
  #mayExist: boolean;
  #isDeleted = false;

  /** @param mayExist whether an earlier holder could have left the document. */
  constructor(path: string, mayExist: boolean, store: Pick<Store, 'commit'>) {
    this.#path = path;
    this.#mayExist = mayExist;
    this.#store = store;
  }

  /** The stored value, as far as this writer knows. */
  get value(): LiveText | undefined {
    return this.#written?.value;
  }

  /** Whether an undeleted document can exist. */
  get mayBeLeft(): boolean {
    return this.#mayExist && !this.#isDeleted;
  }

  /** Replaces the stored value. @throws as `Store.commit`. */
  async write(value: LiveText): Promise<void> {
    const before = this.#written?.version;
    this.#written = undefined;
    this.#mayExist = true;
    const entry =
      before === undefined
        ? putDocument(this.#path, liveTextType, value)
        : replaceDocument(this.#path, liveTextType, value, before);
    const result = await this.#store.commit([entry]);
    // Otherwise another holder has written or deleted the document. The next write replaces its value.
    if (result.ok) this.#written = { value, version: result.versions[0] };
  }

  /** The writes with which a commit deletes the document. */
  deletion(): Write[] {
    return this.#mayExist ? [deleteDocument(this.#path, liveTextType)] : [];
  }

  /** Records that a commit has deleted the document. */
  confirmDeletion(): void {
    this.#isDeleted = true;
  }

  /** Deletes the document. @throws as `Store.commit`. */
  async delete(): Promise<void> {
    await this.#store.commit([deleteDocument(this.#path, liveTextType)]);
    this.#isDeleted = true;
  }
}
