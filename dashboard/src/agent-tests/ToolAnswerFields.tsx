import { Autocomplete, Button, Checkbox, SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core'
import { StepAction } from '../agents/script/StepAction.tsx'
import { Disclosure } from '../kit/Disclosure.tsx'
import { PlusIcon, TrashIcon } from '../kit/icons.tsx'
import styles from './agent-tests.module.css'
import { useToolNames } from './ExpectationList.tsx'
import { Summary } from './SituationFields.tsx'
import {
  type Errors,
  errorAt,
  errorsIn,
  hasErrors,
  newToolAnswer,
  type TestFormProps,
  type ToolAnswerValues,
} from './test-values.ts'

const answers_max = 100

/** Edits what tools answer, because a test calls no real ones. */
export function ToolAnswerFields({ values, errors, is_read_only, onEdit }: TestFormProps) {
  const { tool_answers } = values
  const edit = (change: (answers: ToolAnswerValues[]) => ToolAnswerValues[]) =>
    onEdit((latest) => ({ ...latest, tool_answers: change(latest.tool_answers) }))
  return (
    <Disclosure
      is_field
      has_errors={hasErrors(errors, 'tool_answers')}
      summary={<Summary name="Tool answers" count={tool_answers.length} />}
    >
      <p className={styles.explanation}>
        {values.uses_tools
          ? 'Tools without an answer here are really called. They may change something, or reach people.'
          : 'Tools are not called in a test: they answer what you write here. The first answer that fits is used. A call without an answer fails the test.'}
      </p>
      {errors.tool_answers && (
        <p className={styles.error} role="alert">
          {errors.tool_answers}
        </p>
      )}
      {tool_answers.map((answer, index) => (
        <ToolAnswer
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer has no id
          key={index}
          number={index + 1}
          answer={answer}
          errors={errorsIn(errors, `tool_answers.${index}`)}
          is_read_only={is_read_only}
          onChange={(changed) =>
            edit((latest) => latest.map((each, at) => (at === index ? { ...each, ...changed } : each)))
          }
          onDelete={() => edit((latest) => latest.filter((_, at) => at !== index))}
        />
      ))}
      {!is_read_only && (
        <Button
          className={styles.alone}
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={15} />}
          disabled={tool_answers.length >= answers_max}
          onClick={() => edit((latest) => [...latest, newToolAnswer()])}
        >
          Add tool answer
        </Button>
      )}
      <Switch
        label="Really call tools without an answer"
        checked={values.uses_tools}
        onChange={({ currentTarget }) => {
          const { checked } = currentTarget
          onEdit((latest) => ({ ...latest, uses_tools: checked }))
        }}
      />
    </Disclosure>
  )
}

interface ToolAnswerProps {
  number: number
  answer: ToolAnswerValues
  errors: Errors
  is_read_only: boolean
  onChange: (changed: Partial<ToolAnswerValues>) => void
  onDelete: () => void
}

function ToolAnswer({ number, answer, errors, is_read_only, onChange, onDelete }: ToolAnswerProps) {
  return (
    <fieldset className={styles.expectation}>
      <legend>Tool answer {number}</legend>
      <div className={styles.pair}>
        <Autocomplete
          label="Tool"
          data={useToolNames()}
          value={answer.tool}
          disabled={is_read_only}
          error={errorAt(errors, 'tool')}
          onChange={(tool) => onChange({ tool })}
        />
        <Textarea
          label="If called with"
          classNames={{ input: styles.code ?? '' }}
          placeholder="Any arguments"
          autosize
          maxRows={8}
          spellCheck={false}
          value={answer.arguments}
          error={errorAt(errors, 'arguments')}
          onChange={({ currentTarget }) => onChange({ arguments: currentTarget.value })}
        />
      </div>
      <SegmentedControl
        className={styles.alone}
        size="xs"
        aria-label={`How tool answer ${number} ends`}
        disabled={is_read_only}
        data={[
          { value: 'result', label: 'It answers' },
          { value: 'error', label: 'It fails' },
        ]}
        value={answer.is_error ? 'error' : 'result'}
        onChange={(value) => onChange({ is_error: value === 'error' })}
      />
      {answer.is_error ? (
        <TextInput
          label="Error"
          placeholder="The day is full."
          value={answer.error}
          error={errorAt(errors, 'error')}
          onChange={({ currentTarget }) => onChange({ error: currentTarget.value })}
        />
      ) : (
        <Textarea
          label="Result"
          classNames={{ input: styles.code ?? '' }}
          placeholder='{ "is_booked": true }'
          autosize
          maxRows={12}
          spellCheck={false}
          value={answer.result}
          error={errorAt(errors, 'result')}
          onChange={({ currentTarget }) => onChange({ result: currentTarget.value })}
        />
      )}
      <Checkbox
        size="xs"
        label="Once: the next call gets the next answer"
        checked={answer.once}
        onChange={({ currentTarget }) => onChange({ once: currentTarget.checked })}
      />
      {errors[''] && (
        <p className={styles.error} role="alert">
          {errors['']}
        </p>
      )}
      {!is_read_only && (
        <span className={styles.remove}>
          <StepAction label={`Delete tool answer ${number}`} Icon={TrashIcon} onClick={onDelete} />
        </span>
      )}
    </fieldset>
  )
}
