// The fields of a structured answer beside its property `answer`, as a card of names and values.

import { isCommandLine } from '../../../../shared/text/commands.ts';
import { answerParts } from '../../../../shared/text/structuredAnswer.ts';
import { Command } from '../../parts/Command.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from './analysis.module.css';

/** Levels of a value that are drawn; below them it is JSON. */
const MAX_LEVELS = 3;

/** The card; nothing for an answer without other fields. @param output the answer as JSON text. */
export function AnswerFields({ output }: { output: string }) {
  const { fields } = answerParts(output);
  if (fields.length === 0) return null;
  return (
    <dl class={s.fields} aria-label="Fields of the answer">
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Untrusted text={name.replaceAll('_', ' ')} />
          </dt>
          <dd>
            <FieldValue value={value} levels={MAX_LEVELS} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function FieldValue({ value, levels }: { value: unknown; levels: number }) {
  if (typeof value === 'string')
    return isCommandLine(value) ? <Command command={value} /> : <Untrusted text={value} />;
  if (typeof value !== 'object' || value === null || levels === 0)
    return <Untrusted text={JSON.stringify(value)} />;
  if (Array.isArray(value))
    return value.length === 0 ? (
      <>none</>
    ) : (
      <ul>
        {value.map((entry, index) => (
          <li key={index}>
            <FieldValue value={entry} levels={levels - 1} />
          </li>
        ))}
      </ul>
    );
  return (
    <>
      {Object.entries(value).map(([name, entry]) => (
        <p key={name}>
          <i>
            <Untrusted text={name} />
          </i>{' '}
          <FieldValue value={entry} levels={levels - 1} />
        </p>
      ))}
    </>
  );
}
