// What fixtures hold: sessions with all that the API answers about them.

import type {
  AlertOriginal,
  Approval,
  Claims,
  DeliveryView,
  Guidance,
  ModelCall,
  SessionChanges,
  SessionRow,
  SessionView,
  TimelineEvent,
} from '../../shared/api/types.ts';
import type { WorkEntry } from '../../shared/schema/features/work.ts';

/** A session with its events. */
export interface SessionFixture {
  row: SessionRow;
  view: SessionView;
  events: TimelineEvent[];
  guidance?: { guidance: Guidance; state: string; readBy: string[] }[];
  /** The calls of models. */
  calls?: ModelCall[];
  /** What people did about it. */
  work?: WorkEntry[];
  /** Messages about it. */
  deliveries?: DeliveryView[];
  /** The changes near its alert. Absent: none. */
  changes?: SessionChanges;
  /** The claims of its analysis. Absent: its chain keeps no ledger. */
  claims?: Claims;
  /** The alert as it came. */
  original?: AlertOriginal;
  /** Events whose content is cut, whole. */
  whole?: Record<string, string>;
}

/** Everything that is answered from. */
export interface Fixtures {
  sessions: SessionFixture[];
  /** Who asks. Default: an admin, as on one machine. */
  me?: { name: string; role: string };
  /** Parts of the installation that are away. Default: none. */
  health?: object;
  /** The text of the configuration's test-alert.json. Default: it has none. */
  exampleAlert?: string;
  /** The pause of the installation. Default: none. */
  pause?: { by: string; until: string };
}

/** The calls that wait for a decision. */
export function pendingOf({ sessions }: Fixtures): Approval[] {
  return sessions.flatMap(({ view }) => view.approvals.filter(({ status }) => status === 'pending'));
}

/** The same session under another id. */
export function renamed(session: SessionFixture, sessionId: string): SessionFixture {
  const { row, view, events } = session;
  const approvals = view.approvals.map((approval) => ({ ...approval, sessionId }));
  return {
    ...session,
    row: { ...row, sessionId },
    view: { ...view, sessionId, approvals },
    events: events.map((event) => ({ ...event, sessionId })),
  };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/;

/** The same session at another time. @param ms Added to all its times. */
export function shifted(session: SessionFixture, ms: number): SessionFixture {
  const made: SessionFixture = JSON.parse(JSON.stringify(session), (_, value: unknown) =>
    typeof value === 'string' && TIME.test(value) ? new Date(Date.parse(value) + ms).toISOString() : value,
  );
  return made;
}
