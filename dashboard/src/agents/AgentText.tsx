import { SegmentedControl, Textarea } from '@mantine/core'
import { useRef, useState } from 'react'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { type FieldError, fieldErrors } from '../kit/error-messages.ts'
import { toJsonText } from '../kit/json.ts'
import styles from './agents.module.css'
import { no_model_settings } from './draft.ts'
import type { Draft } from './useDraft.ts'

const first_script = toJsonText({
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello, how can I help?',
      on: [
        { hear: ['opening hours', 'when are you open'], say: 'We are open from nine to six.', go: 'greet' },
        { intent: 'human', go: '@hand_over' },
        { intent: 'goodbye', go: 'bye' },
      ],
      else: { say: 'Sorry, I did not get that.', go: 'greet' },
    },
    bye: { say: 'Goodbye.', go: '@end' },
  },
})

/** The instructions, or the script as JSON. */
export function AgentText({ draft, is_read_only }: { draft: Draft; is_read_only: boolean }) {
  const { values, change, error } = draft
  const is_script = values.script !== null
  const last_script = useRef(values.script ?? first_script)
  const [is_confirming, setConfirming] = useState(false)
  const addScript = () => change({ script: last_script.current, model: null, model_settings: no_model_settings })
  const removeScript = () => {
    last_script.current = values.script ?? last_script.current
    change({ script: null })
  }
  const errors = textErrors(error, is_script ? 'script' : 'instructions')
  return (
    <>
      <div className={styles.paneHead}>
        <SegmentedControl
          size="sm"
          aria-label="Answers with"
          disabled={is_read_only}
          data={[
            { value: 'instructions', label: 'Instructions' },
            { value: 'script', label: 'Script' },
          ]}
          value={is_script ? 'script' : 'instructions'}
          onChange={(chosen) => (chosen === 'script' ? addScript() : setConfirming(true))}
        />
        <span className={styles.hint}>{is_script ? 'Needs no model.' : 'Needs a model.'}</span>
      </div>
      <Textarea
        aria-label={is_script ? 'Script' : 'Instructions'}
        placeholder={is_script ? undefined : 'Greet the caller and ask how you can help.'}
        classNames={{ root: styles.text, wrapper: styles.textWrapper, input: is_script ? styles.code : styles.prose }}
        readOnly={is_read_only}
        spellCheck={!is_script}
        value={values.script ?? values.instructions}
        aria-invalid={errors.length > 0}
        onChange={({ currentTarget: { value } }) => change(is_script ? { script: value } : { instructions: value })}
      />
      {errors.length > 0 && (
        <div role="alert" className={styles.faults}>
          <ul aria-label="Errors">
            {errors.map(({ path, message }) => (
              <li key={`${path} ${message}`}>{message}</li>
            ))}
          </ul>
        </div>
      )}
      <ConfirmDialog
        is_open={is_confirming}
        title="Remove the script?"
        confirm_label="Remove script"
        onClose={() => setConfirming(false)}
        onConfirm={async () => removeScript()}
      >
        The draft then answers with a model and its instructions. Published versions keep their scripts.
      </ConfirmDialog>
    </>
  )
}

function textErrors(error: unknown, field: 'script' | 'instructions'): FieldError[] {
  if (error instanceof SyntaxError) return [{ path: field, message: `This is not valid JSON. ${error.message}` }]
  return fieldErrors(error).filter(({ path }) => path.split('.')[0] === field)
}
