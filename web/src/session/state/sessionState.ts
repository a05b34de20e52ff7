// Opens a session: its model, how it is read, and how it is followed while it runs.

import { effect } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import type { Connection } from '../../api/follow.ts';
import { alertNow } from '../../frame/announce.ts';
import { connection as connectionOfPage } from '../../frame/connection.ts';
import { lookForNewVersion } from '../../frame/newVersion.ts';
import { hasEnded } from '../../model/status.ts';
import { removeLiveText } from './liveText.ts';
import { createModel, type SessionModel } from './sessionModel.ts';
import { createReader, type SessionReader } from './sessionReader.ts';
import { followSession } from './sessionStream.ts';
import { filter } from './stepFilter.ts';

/** A loss is announced when it lasts this long. */
const ANNOUNCED_MS = 10_000;

/** Between two reads of a few documents each. */
const READ_EVERY_MS = 10_000;

/** Everything the parts of the page share. */
export interface SessionState
  extends SessionModel,
    Pick<SessionReader, 'refresh' | 'refreshNow' | 'readTexts'> {
  /** Reads the session and follows it while it runs. @returns stops both. */
  start(): () => void;
  /** Reads everything again, and follows while the session runs. */
  load(): Promise<void>;
  /** Follows a session that runs again, because a question was asked. */
  resumeStream(): void;
}

/** Opens a session. Nothing is read before `start`. */
export function openSession(sessionId: string): SessionState {
  const model = createModel(sessionId);
  const reader = createReader(model);
  const connection = createConnectionState(model, reader.refresh);
  let isOpen = true;
  let isFollowing = false;
  let stopStream = () => {};

  /** Where the stream continues after the steps that were read. */
  let position = '';
  const resumeStream = () => {
    if (isFollowing || !isOpen) return;
    isFollowing = true;
    stopStream = followSession({
      model,
      reader,
      position,
      onConnection: (state) => {
        if (state.kind === 'ended' || state.kind === 'refused') isFollowing = false;
        connection.set(state);
      },
      onStale: () => void load(),
    });
  };
  /** After a failure the starts of results are searched. */
  const readForSearch = () => void reader.readTexts().catch(() => {});
  const load = async (): Promise<void> => {
    const read = await reader.readAll();
    if (read === undefined) return;
    position = read.position;
    if (filter.peek().text !== '') readForSearch();
    if (isRunning(read.view)) resumeStream();
  };
  const start = () => {
    void load();
    const stopProblem = followProblem(model);
    const stopSearch = effect(() => {
      if (filter.value.text !== '') readForSearch();
    });
    return () => {
      isOpen = false;
      stopProblem();
      stopSearch();
      stopStream();
      reader.stop();
      connection.stop();
    };
  };
  const { refresh, refreshNow, readTexts } = reader;
  return { ...model, refresh, refreshNow, readTexts, start, load, resumeStream };
}

/** Whether the session, or a question about it, is running. */
function isRunning({ status, stages }: SessionView): boolean {
  return !hasEnded(status) || stages.some((stage) => !hasEnded(stage.status));
}

/** The session around a part of the page. */
export const SessionContext = createContext<SessionState | undefined>(undefined);

/** The session that a part belongs to. @throws Error outside of a session page. */
export function useSession(): SessionState {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('this component requires a session around it');
  return session;
}

type ProblemPart = Pick<SessionView, 'problem' | 'reports'>;

/** Reads the state of the problem while the page is visible, until the returned function is called. */
function followProblem({ view, sessionId, aroundChange }: SessionModel): () => void {
  const read = async (): Promise<void> => {
    if (document.hidden || !view.peek()?.problem) return;
    const { problem, reports } = await api.get('/v1/sessions/{sessionId}/problem', { sessionId });
    const shown = view.peek();
    if (shown === undefined || serializeProblem(shown) === serializeProblem({ problem, reports })) return;
    aroundChange.current(() => {
      view.value = { ...shown, problem, reports };
    });
  };
  // The next read also covers a failed one.
  const tryRead = () => void read().catch(() => {});
  const timer = setInterval(tryRead, READ_EVERY_MS);
  document.addEventListener('visibilitychange', tryRead);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tryRead);
  };
}

const serializeProblem = ({ problem, reports }: ProblemPart) => JSON.stringify({ problem, reports });

/** Keeps the connection of a session in its model and in the frame. */
interface ConnectionState {
  set(connection: Connection): void;
  /** Ends a pending announcement, and clears the connection of the frame. */
  stop(): void;
}

/** @param onRestored Called when a lost connection is live again. */
function createConnectionState(model: SessionModel, onRestored: () => void): ConnectionState {
  const { connection, view, asOf } = model;
  let announcing: ReturnType<typeof setTimeout> | undefined;

  const announceLoss = () => {
    clearTimeout(announcing);
    announcing = setTimeout(() => {
      if (connection.value?.kind === 'lost') alertNow('Connection lost. Reconnecting.');
    }, ANNOUNCED_MS);
  };

  return {
    set(state) {
      const wasLost = connection.value?.kind === 'lost';
      if (state.kind === 'lost' && !wasLost) {
        removeLiveText(model);
        asOf.value = view.peek()?.now;
        announceLoss();
      }
      if (state.kind === 'live' && wasLost) {
        onRestored();
        // The server can have restarted with a newer version.
        lookForNewVersion();
      }
      connection.value = state;
      connectionOfPage.value = state;
    },
    stop() {
      clearTimeout(announcing);
      connectionOfPage.value = undefined;
    },
  };
}
