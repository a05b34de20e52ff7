// What needs the rights of a deployment. Together the probes use each right; without it, one fails.

import { expect } from 'vitest';
import { callCommand } from '../support/callCommand.ts';
import type { Deployment } from './deployment.ts';
import { SIGNED_IN } from './frontEnd.ts';
import {
  alertOf,
  buriesDeadly,
  completes,
  frontEndOf,
  investigates,
  publishAlert,
  recoversUndelivered,
  refusals,
  sessionOf,
  until,
  untilDelivered,
} from './scenarios.ts';
import { agentOf } from './settings.ts';

const HOUR_MS = 3_600_000;
/** The first messages that a destination of people gets in an hour. */
const ROOTS = 20;
/** A service uses a pause that it has read for 5 s. */
const PAUSE_CACHE_MS = 6_000;

type Scenario = (deployment: Deployment, title: string) => Promise<void>;

/** The probes by name. Each fails with the first right that is missing. */
export const PROBES: Record<string, Scenario> = {
  'an alert that uses tools and sends messages': (deployment, title) =>
    investigates(deployment, title, 'observe'),
  'a message that kills its function': buriesDeadly,
  'a message that reaches no service': recoversUndelivered,
  'an alert that no service accepts': buriesAlert,
  'an alert of Cloud Monitoring': takesMonitoring,
  'a change': takesChange,
  'the sweep': sweeps,
  'more sessions than messages': sendsGroup,
  'a program': async (deployment, title) => {
    const { stdout } = await callCommand(['keys', 'create', 'ci', '--role', 'responder'], deployment.env);
    await steers(deployment, title, 'api', {
      authorization: `Bearer ${/inq_\S+/.exec(stdout.join('\n'))?.[0]}`,
    });
  },
  'a person': (deployment, title) =>
    steers(deployment, title, 'console', { cookie: `${SIGNED_IN}=oncall@example.com` }),
};

/** Runs a probe to the delivery of its last message. @throws Error that names a missing right. */
export async function runProbe(name: string, deployment: Deployment, title: string): Promise<void> {
  const fault = refusals(deployment);
  await PROBES[name]?.(deployment, title).catch((error: unknown) => {
    throw new Error(fault() ?? String(error), { cause: error });
  });
  await untilDelivered(deployment, fault);
  const reason = fault();
  if (reason !== undefined) throw new Error(reason);
}

/** An alert that `ingestAlert` cannot handle waits among the dead letters for a person. */
async function buriesAlert(deployment: Deployment, title: string): Promise<void> {
  const { pending } = deployment;
  const frontEnd = frontEndOf(deployment, 'ingestAlert');
  frontEnd.instead = async () => 503;
  try {
    await publishAlert(deployment, title);
    await untilDelivered(deployment);
  } finally {
    frontEnd.instead = undefined;
  }
  const letters = pending.pullable();
  // Deletes the dead letter.
  await deployment.apply(deployment.settings());
  expect(letters, 'the dead letters of alerts').toBe(1);
}

async function takesMonitoring(deployment: Deployment, title: string): Promise<void> {
  const { name } = deployment.settings().topics.alerts ?? { name: '' };
  const fault = refusals(deployment);
  await deployment.publishAs(agentOf('monitoring-notification'), name, alertOf(title));
  await completes(deployment, title, fault);
}

/** A log sink publishes an entry of the audit log, and the next investigation shows it. */
async function takesChange(deployment: Deployment, title: string): Promise<void> {
  const { clock, settings } = deployment;
  const fault = refusals(deployment);
  const [[project, sink] = expect.unreachable('no sink')] = Object.entries(settings().change_sinks);
  const resourceName = `projects/${project}/serviceAccounts/${title.replaceAll(' ', '-')}`;
  const entry = {
    insertId: title,
    logName: `projects/${project}/logs/cloudaudit.googleapis.com%2Factivity`,
    timestamp: clock.now().toISOString(),
    resource: { type: 'service_account', labels: { project_id: project } },
    protoPayload: {
      '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
      serviceName: 'iam.googleapis.com',
      methodName: 'google.iam.admin.v1.SetIAMPolicy',
      resourceName,
      authenticationInfo: { principalEmail: 'dev@example.com' },
    },
  };
  const topic = sink.destination.split('/').at(-1) ?? '';
  await deployment.publishAs(`logSink:${project}/${sink.name}`, topic, entry);
  await untilDelivered(deployment, fault);
  await publishAlert(deployment, title, { chain: 'observe' }, { labels: { project_id: project } });
  await completes(deployment, title, fault);
  expect((await sessionOf(deployment, title))?.changes).toContain(resourceName.split('/').at(-1));
}

/** The sweep sends a canary, repeats a message's lost request, and publishes after a pause. */
async function sweeps(deployment: Deployment, title: string): Promise<void> {
  const { clock, env, slack } = deployment;
  const fault = refusals(deployment);
  const sweep = async () => {
    clock.advance(2 * HOUR_MS);
    const status = await deployment.callOnSchedule('sweep');
    expect([status, fault()]).toEqual([200, undefined]);
    await untilDelivered(deployment, fault);
  };
  const deliver = frontEndOf(deployment, 'deliver');
  deliver.instead = async () => 204;
  try {
    await investigates(deployment, title, 'observe');
    await untilDelivered(deployment, fault);
  } finally {
    deliver.instead = undefined;
  }
  const sent = slack.posts.length;
  await sweep();
  expect(slack.posts.length).toBeGreaterThan(sent);
  // Only a sweep ends the pause, so that nothing is paused where the one above failed.
  expect((await callCommand(['pause', '--all'], env)).code).toBe(0);
  clock.advance(PAUSE_CACHE_MS);
  await publishAlert(deployment, `${title}, paused`);
  await untilDelivered(deployment, fault);
  expect((await callCommand(['resume', '--all'], env)).code).toBe(0);
  await sweep();
  await completes(deployment, `${title}, paused`, fault);
}

/** In an hour with enough messages, further sessions share one, which `deliver` requests itself. */
async function sendsGroup(deployment: Deployment, title: string): Promise<void> {
  const { clock, database } = deployment;
  clock.advance(HOUR_MS);
  await investigates(deployment, title, 'observe');
  await untilDelivered(deployment);
  await database.doc('destinations/oncall').update({ roots: ROOTS });
  await investigates(deployment, `${title}, in a group`, 'observe');
}

/** A caller publishes an alert, pauses and resumes its session, cancels a second, and searches. */
async function steers(
  deployment: Deployment,
  title: string,
  service: string,
  headers: Record<string, string>,
): Promise<void> {
  const { model } = deployment;
  const { url } = frontEndOf(deployment, service);
  const fault = refusals(deployment);
  const call = async (method: string, path: string, body?: object) => {
    const init = { method, headers: { ...headers, 'content-type': 'application/json' } };
    const response = await fetch(`${url}/v1/${path}`, {
      ...init,
      ...(body && { body: JSON.stringify(body) }),
    });
    expect([path, response.status < 300, response.ok || (await response.text())]).toEqual([path, true, true]);
  };
  /** Publishes an alert, and acts on its session while the model answers. */
  const during = async (alert: string, act: (sessionId: string) => Promise<void>) => {
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    let isAsked = false;
    model.before = async (body) => {
      if (!body.includes(alert)) return;
      isAsked = true;
      await isReleased;
    };
    try {
      await call('POST', 'alerts?chain=observe', alertOf(alert));
      await until(() => isAsked || undefined, fault);
      await act((await sessionOf(deployment, alert))?.id ?? '');
    } finally {
      model.before = undefined;
      release();
    }
  };
  await during(`${title}, cancelled`, (id) => call('POST', `sessions/${id}/cancel`));
  let paused = '';
  await during(title, async (id) => {
    paused = id;
    await call('POST', `sessions/${id}/pause`);
  });
  await untilDelivered(deployment, fault);
  await call('POST', `sessions/${paused}/resume`);
  await completes(deployment, title, fault);
  await call('GET', 'knowledge/search?q=SEARCH%20checkout');
  await call('POST', 'changes', { id: title, resource: 'service:checkout', title });
}
