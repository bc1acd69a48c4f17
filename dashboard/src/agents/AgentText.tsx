import { Button, Textarea } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { type FieldError, fieldErrors } from '../kit/error-messages.ts'
import { CodeIcon } from '../kit/icons.tsx'
import { toJsonText } from '../kit/json.ts'
import { EmptyState } from '../kit/states.tsx'
import styles from './agents.module.css'
import { no_model_settings } from './draft.ts'
import { Segments } from './Segments.tsx'
import { ScriptEditor } from './script/ScriptEditor.tsx'
import type { Script } from './script/script.ts'
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

export type TextKind = 'instructions' | 'script'

interface AgentTextProps {
  draft: Draft
  /** The script. Undefined if there is none, or its JSON has errors. */
  script: Script | undefined
  /** The step of the script that is lit up. */
  step: string | undefined
  is_read_only: boolean
  /** The text that is shown. Undefined is the one that the agent follows. */
  chosen: TextKind | undefined
  onChoose: (kind: TextKind) => void
}

/** The instructions and the script. Looking at one changes nothing: only a button makes the agent follow it. */
export function AgentText({ draft, script, step, is_read_only, chosen, onChoose }: AgentTextProps) {
  const { values, change, error } = draft
  const followed: TextKind = values.script === null ? 'instructions' : 'script'
  const shown = chosen ?? followed
  const last_script = useRef(first_script)
  const [is_confirming, setConfirming] = useState(false)
  const followScript = () => change({ script: last_script.current, model: null, model_settings: no_model_settings })
  const removeScript = () => {
    last_script.current = values.script ?? last_script.current
    change({ script: null })
  }
  const errors = useMemo(() => textErrors(error, shown), [error, shown])
  return (
    <>
      <div className={styles.paneHead}>
        <Segments
          size="sm"
          aria-label="Instructions or script"
          data={[
            { value: 'instructions', label: 'Instructions' },
            { value: 'script', label: 'Script' },
          ]}
          value={shown}
          onChange={(value) => onChoose(value as TextKind)}
        />
        {shown === 'instructions' && followed === 'script' && (
          <>
            <span className={styles.hint}>Not in use: the agent follows its script.</span>
            {!is_read_only && (
              <Button variant="default" size="xs" onClick={() => setConfirming(true)}>
                Use instructions…
              </Button>
            )}
          </>
        )}
      </div>
      {shown === 'script' && values.script !== null ? (
        <ScriptEditor
          text={values.script}
          script={script}
          greeting={values.greeting}
          errors={errors}
          current={step}
          is_read_only={is_read_only}
          onChange={(changed) => change({ script: changed })}
        />
      ) : shown === 'script' ? (
        <div className={styles.chatStart}>
          <EmptyState
            icon={<CodeIcon size={24} />}
            title="No script"
            action={
              !is_read_only && (
                <Button variant="default" onClick={followScript}>
                  Use a script
                </Button>
              )
            }
          >
            A script answers without a model.
          </EmptyState>
        </div>
      ) : (
        <Textarea
          aria-label="Instructions"
          placeholder="Greet the caller and ask how you can help."
          classNames={{ root: styles.text, wrapper: styles.textWrapper, input: styles.prose }}
          readOnly={is_read_only}
          value={values.instructions}
          aria-invalid={errors.length > 0}
          onChange={({ currentTarget }) => change({ instructions: currentTarget.value })}
        />
      )}
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

function textErrors(error: unknown, field: TextKind): FieldError[] {
  if (error instanceof SyntaxError) {
    return field === 'script' ? [{ path: field, message: `This is not valid JSON. ${error.message}` }] : []
  }
  return fieldErrors(error).filter(({ path }) => path.split('.')[0] === field)
}
