// What the bench of the engine and its graph of LangGraph.js in test/packages, which has its own types of
// Node, agree on.

import type { Firestore } from '@google-cloud/firestore';

/** What the model answers: the text, and the objects that it looks at. */
export interface Turn {
  text: string;
  objects: string[];
}

/** A thread of the agent. */
interface GraphThread {
  /** Runs one iteration. @returns whether another one follows. */
  next(): Promise<boolean>;
}

/** Starts a thread, whose first checkpoint is stored. */
export type StartThread = (
  threadId: string,
  options: {
    firestore: Firestore;
    /** `sync`: each step is stored before the next; `exit`: the last one of a call. */
    durability: 'sync' | 'exit';
    turns: Turn[];
    instructions: string;
    input: string;
    look(object: string): string;
  },
) => Promise<GraphThread>;
