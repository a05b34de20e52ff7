// The document of what a model says: written by one holder at a time, and deleted in the end.

import { put, remove, replace, type Store, type Version, type Write } from '../../../contract/store.ts';
import { liveTextType } from '../../../schema/documents.ts';
import type { LiveText } from '../../../schema/liveText.ts';

/** A document as its writer knows it. */
export class LiveDocument {
  readonly #path: string;
  readonly #store: Pick<Store, 'commit'>;
  #written: { value: LiveText; version: Version | undefined } | undefined;
  #mayExist: boolean;
  #isDeleted = false;

  /** @param mayExist whether another holder may have left it. */
  constructor(path: string, mayExist: boolean, store: Pick<Store, 'commit'>) {
    this.#path = path;
    this.#mayExist = mayExist;
    this.#store = store;
  }

  /** What is stored, as far as this writer knows. */
  get value(): LiveText | undefined {
    return this.#written?.value;
  }

  /** Whether there may be a document that was not deleted. */
  get mayBeLeft(): boolean {
    return this.#mayExist && !this.#isDeleted;
  }

  /** Writes a value in the place of what is there. @throws as `Store.commit`. */
  async write(value: LiveText): Promise<void> {
    const before = this.#written?.version;
    this.#written = undefined;
    this.#mayExist = true;
    const entry =
      before === undefined
        ? put(this.#path, liveTextType, value)
        : replace(this.#path, liveTextType, value, before);
    const result = await this.#store.commit([entry]);
    // If not: another holder has written, or deleted, its own. The next write takes its place.
    if (result.ok) this.#written = { value, version: result.versions[0] };
  }

  /** What a commit has to write so that nothing is left. */
  deletion(): Write[] {
    return this.#mayExist ? [remove(this.#path, liveTextType)] : [];
  }

  /** A commit has deleted it. */
  confirmDeletion(): void {
    this.#isDeleted = true;
  }

  /** Deletes it. @throws as `Store.commit`. */
  async delete(): Promise<void> {
    await this.#store.commit([remove(this.#path, liveTextType)]);
    this.#isDeleted = true;
  }
}
