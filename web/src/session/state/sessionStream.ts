// The stream of a running session: new events, live text, and signals to read the session again.

import { batch } from '@preact/signals';
import { RESULT_BYTES } from '../../../../shared/api/pages/sessionReads.ts';
import type { StreamMessage } from '../../../../shared/client/routes.ts';
import type { TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { setServerNow } from '../../api/clock.ts';
import { type Connection, follow } from '../../api/follow.ts';
import { announce } from '../../frame/announce.ts';
import { staysWhenHidden } from '../../frame/notify.ts';
import { replaceLiveText, showLiveText } from './liveText.ts';
import { describeEvent } from './sentences.ts';
import type { SessionModel } from './sessionModel.ts';
import type { SessionReader } from './sessionReader.ts';

const PATH = '/v1/sessions/{sessionId}/events';

interface StreamOptions {
  model: SessionModel;
  reader: Pick<SessionReader, 'refresh' | 'refreshNow'>;
  /** After the events that were read; '' for all events. */
  position: string;
  onConnection(connection: Connection): void;
  /** The position in the stream has expired: everything must be read again. */
  onStale(): void;
}

/** Follows the events of a session until it ends, or until the returned function is called. */
export function followSession({ model, reader, position, onConnection, onStale }: StreamOptions): () => void {
  const onEvent = (message: StreamMessage<typeof PATH>) => {
    if ('now' in message.data) setServerNow(message.data.now);
    switch (message.event) {
      case 'timeline':
        if (addEvent(model, message.data)) reader.refresh();
        break;
      case 'live':
        showLiveText(model, message.data);
        break;
      case 'end':
        void reader.refreshNow();
        break;
      case 'session':
      case 'unreadable':
        reader.refresh();
        break;
    }
  };
  const parameters = { sessionId: model.sessionId, resultBytes: RESULT_BYTES };
  const how = { onEvent, onConnection, onStale, staysWhenHidden };
  return follow({ path: PATH, parameters, lastId: position, ...how });
}

/** Adds an event and announces it. @returns false when it was known. */
function addEvent(model: SessionModel, event: TimelineEvent): boolean {
  const { timeline, view, aroundChange, onAdded } = model;
  const isKnown = timeline.get(event.eventId) !== undefined;
  aroundChange.current(() =>
    batch(() => {
      timeline.add([event]);
      if (event.status !== 'streaming') replaceLiveText(model, event);
    }),
  );
  if (isKnown) return false;
  announce(describeEvent(event, view.peek()));
  onAdded.current(1);
  return true;
}
