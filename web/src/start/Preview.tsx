// Preview of an alert: fields, triage, chain and agents.

import type { ComponentChildren } from 'preact';
import { locateAlertPlace, placeText } from '../../../shared/alerts/alertLocation.ts';
import type { AlertPreview } from '../../../shared/lists/apiTypes.ts';
import parts from '../parts/parts.module.css';
import { Untrusted } from '../parts/Untrusted.tsx';
import { Word } from '../words/Word.tsx';
import s from './start.module.css';

/** The preview of an alert. */
export function Preview({ preview }: { preview: AlertPreview }) {
  const { alert, recognised, envelopes, from, investigated, triage, chain, routing, stages, passed } =
    preview;
  const place = placeText(locateAlertPlace(alert));
  return (
    <section class={parts.panel} aria-labelledby="preview-title">
      <div class={parts.panelHead}>
        <h2 id="preview-title">Preview</h2>
        <span class={parts.meta}>Nothing was sent.</span>
      </div>
      <dl class={s.facts}>
        <Fact name="Outcome">
          <b>{investigated ? 'It would be investigated' : 'It would not be investigated'}</b>:{' '}
          <Word name="triage" /> would {triage.action} it, by{' '}
          <Untrusted text={`${triage.rule}: ${triage.text}`} />
        </Fact>
        <Fact name="Read as">
          <Untrusted text={`${alert.source}: ${recognised}`} />
          {envelopes.length > 0 && <> (in {envelopes.join(', ')})</>}
        </Fact>
        <Fact name="Title" from={from.title}>
          <Untrusted text={alert.title} />
        </Fact>
        <Fact name="Severity" from={from.severity}>
          <Untrusted text={alert.severity ?? 'none'} />
        </Fact>
        <Fact name="Status" from={from.status}>
          {alert.status}
        </Fact>
        {place !== '' && (
          <Fact name="Place">
            <Untrusted text={place} />
          </Fact>
        )}
        <Fact name="Labels" from={from.labels}>
          <Untrusted
            text={Object.entries(alert.labels)
              .map(([name, value]) => `${name}=${value}`)
              .join(', ')}
          />
        </Fact>
        <Fact name={<Word name="chain" text="Chain" />}>
          <b>
            <Untrusted text={chain} />
          </b>
          : <Untrusted text={routing.text} />
          {passed.map(({ chain: name, rules }) => (
            <p key={name} class={parts.meta}>
              Not <Untrusted text={`${name}: ${rules.join('; ')}`} />
            </p>
          ))}
        </Fact>
        {stages.map(({ name, agents, synthesis }, index) => (
          <Fact key={index} name={<Word name="stage" text={`Stage ${index + 1}`} />}>
            <Untrusted text={`${name}: ${agents.join(', ')}${synthesis ? `; then ${synthesis}` : ''}`} />
          </Fact>
        ))}
      </dl>
    </section>
  );
}

/** @param props.from where the field stands in the payload. */
function Fact(props: {
  name: ComponentChildren;
  from?: readonly string[] | undefined;
  children: ComponentChildren;
}) {
  const { name, from, children } = props;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {children}
        {from !== undefined && from.length > 0 && (
          <span class={parts.meta}>
            {' '}
            from <Untrusted text={from.join(', ')} />
          </span>
        )}
      </dd>
    </>
  );
}
