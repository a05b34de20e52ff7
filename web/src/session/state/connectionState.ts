// The effects of a lost and a restored connection on the page of a session.

import type { Connection } from '../../api/follow.ts';
import { alertNow } from '../../frame/announce.ts';
import { connection as connectionOfPage } from '../../frame/Frame.tsx';
import { lookForNewVersion } from '../../frame/newVersion.ts';
import { removeLiveText } from './liveText.ts';
import type { SessionModel } from './sessionModel.ts';

/** A loss is announced when it lasts this long. */
const ANNOUNCED_MS = 10_000;

/** Keeps the connection of a session in its model and in the frame. */
interface ConnectionState {
  set(connection: Connection): void;
  /** Ends a pending announcement, and clears the connection of the frame. */
  stop(): void;
}

/** @param onRestored Called when a lost connection is live again. */
export function createConnectionState(model: SessionModel, onRestored: () => void): ConnectionState {
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
