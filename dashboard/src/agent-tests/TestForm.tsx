import { SegmentedControl, TextInput } from '@mantine/core'
import { errorMessage } from '../kit/error-messages.ts'
import { ErrorAlert } from '../kit/states.tsx'
import styles from './agent-tests.module.css'
import { ConversationFields } from './ConversationFields.tsx'
import { ExpectationList } from './ExpectationList.tsx'
import { ReplyFields } from './ReplyFields.tsx'
import { SimulationFields } from './SimulationFields.tsx'
import { SituationFields } from './SituationFields.tsx'
import { ToolAnswerFields } from './ToolAnswerFields.tsx'
import { kind_hints, kind_names } from './test.ts'
import { type Errors, errorAt, errorsIn, type TestFormProps, type TestValues } from './test-values.ts'

const folded_parts: Record<string, string> = {
  tool_answers: 'Tool answers',
  contact: 'Contact',
  custom_fields: 'Contact',
  variables: 'Variables',
  now: 'Time',
}

interface FormAlertProps {
  error: unknown
  errors: Errors
}

/** Says above the form what is wrong, because some fields are folded. */
export function FormAlert({ error, errors }: FormAlertProps) {
  const paths = Object.keys(errors)
  if (paths.length === 0) return error ? <ErrorAlert>{errorMessage(error)}</ErrorAlert> : null
  const folded = [...new Set(paths.flatMap((path) => folded_parts[path.split('.')[0] ?? ''] ?? []))]
  return (
    <ErrorAlert>
      {folded.length > 0 ? `Fix the errors below. Some are in ${folded.join(', ')}.` : 'Fix the errors below.'}
    </ErrorAlert>
  )
}

/** A test as a chat: what the contact says, and what the agent should do then. */
export function TestForm(props: TestFormProps) {
  const { values, errors, is_read_only, onEdit } = props
  const set = (changed: Partial<TestValues>) => onEdit((latest) => ({ ...latest, ...changed }))
  const is_voice = values.kind === 'simulation' && values.played_by === 'person' && values.medium === 'voice'
  return (
    <fieldset className={styles.test} disabled={is_read_only}>
      <TextInput
        label="Name"
        placeholder="Tells the opening hours"
        required
        value={values.name}
        error={errorAt(errors, 'name')}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      />
      <div>
        <SegmentedControl
          size="sm"
          aria-label="Kind of test"
          disabled={is_read_only}
          data={Object.entries(kind_names).map(([value, label]) => ({ value, label }))}
          value={values.kind}
          // The choices are the names of the kinds.
          onChange={(kind) => set({ kind: kind as TestValues['kind'] })}
        />
        <p className={styles.explanation}>{kind_hints[values.kind]}</p>
      </div>
      <section className={styles.chat} aria-label="Conversation">
        {values.kind === 'conversation' && <ConversationFields {...props} />}
        {values.kind === 'reply' && <ReplyFields {...props} />}
        {values.kind === 'simulation' && <SimulationFields {...props} />}
        <div className={styles.line} data-side="agent">
          {values.kind !== 'reply' && <p className={styles.when}>At the end</p>}
          <ExpectationList
            label={values.kind === 'reply' ? 'Answer' : 'At the end'}
            list={values.expect}
            errors={errorsIn(errors, 'expect')}
            is_voice={is_voice}
            is_read_only={is_read_only}
            onEdit={(change) => onEdit((latest) => ({ ...latest, expect: change(latest.expect) }))}
          />
        </div>
      </section>
      <div className={styles.more}>
        <ToolAnswerFields {...props} />
        <SituationFields {...props} />
      </div>
    </fieldset>
  )
}
