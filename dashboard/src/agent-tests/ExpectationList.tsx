import {
  ActionIcon,
  Autocomplete,
  Button,
  Menu,
  NumberInput,
  Select,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { memo } from 'react'
import { kinds as value_kinds } from '../contacts/custom-fields.ts'
import { documentChoicesQuery } from '../documents/choices.ts'
import { useApi } from '../kit/api.ts'
import { PlusIcon, TrashIcon } from '../kit/icons.tsx'
import { isSame } from '../kit/merge.ts'
import { toolChoicesQuery } from '../tools/choices.ts'
import styles from './agent-tests.module.css'
import { type ExpectationType, end_names, expectation_names } from './test.ts'
import { type Errors, type ExpectationValues, errorAt, errorsIn, newExpectation } from './test-values.ts'

const types = Object.keys(expectation_names) as ExpectationType[]
/** Names of tools that each agent has. */
const built_in_tools = [
  'end_conversation',
  'hand_over',
  'transfer',
  'set_result',
  'update_contact',
  'schedule_callback',
  'opt_out',
]

interface ExpectationListProps {
  /** The label for screen readers, such as "Line 2". */
  label: string
  list: ExpectationValues[]
  errors: Errors
  is_voice: boolean
  is_read_only: boolean
  /** Passes on a change of the latest list. */
  onEdit: (change: (list: ExpectationValues[]) => ExpectationValues[]) => void
}

/** Edits what "the agent should …". It isn't rendered again by what is typed elsewhere. */
export const ExpectationList = memo(List, isSame)

function List({ label, list, errors, is_voice, is_read_only, onEdit }: ExpectationListProps) {
  return (
    <fieldset className={styles.expectations} aria-label={`${label}: the agent should`}>
      {list.map((one, index) => (
        <ExpectationFields
          // biome-ignore lint/suspicious/noArrayIndexKey: an expectation has no id
          key={index}
          one={one}
          errors={errorsIn(errors, String(index))}
          is_voice={is_voice}
          is_read_only={is_read_only}
          onChange={(changed) =>
            onEdit((latest) => latest.map((each, at) => (at === index ? { ...each, ...changed } : each)))
          }
          onDelete={() => onEdit((latest) => latest.filter((_, at) => at !== index))}
        />
      ))}
      {!is_read_only && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button variant="default" size="compact-sm" leftSection={<PlusIcon size={14} />}>
              The agent should…
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {types.map((type) => (
              <Menu.Item key={type} onClick={() => onEdit((latest) => [...latest, newExpectation(type)])}>
                {expectation_names[type]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {is_read_only && list.length === 0 && <p className={styles.explanation}>Nothing is checked here.</p>}
    </fieldset>
  )
}

interface ExpectationFieldsProps {
  one: ExpectationValues
  errors: Errors
  is_voice: boolean
  is_read_only: boolean
  onChange: (changed: Partial<ExpectationValues>) => void
  onDelete: () => void
}

function ExpectationFields(props: ExpectationFieldsProps) {
  const { one, errors, is_read_only, onDelete } = props
  const title = `The agent should ${expectation_names[one.type]}`
  return (
    <fieldset className={styles.expectation} data-failed={Object.keys(errors).length > 0 || undefined}>
      <legend>{title}</legend>
      <Fields {...props} title={title} />
      {errors[''] && (
        <p className={styles.error} role="alert">
          {errors['']}
        </p>
      )}
      {!is_read_only && (
        <ActionIcon
          className={styles.remove}
          variant="subtle"
          color="gray"
          size={26}
          aria-label={`Remove “${title}”`}
          onClick={onDelete}
        >
          <TrashIcon size={15} />
        </ActionIcon>
      )}
    </fieldset>
  )
}

function Fields({ one, errors, is_voice, is_read_only, onChange, title }: ExpectationFieldsProps & { title: string }) {
  const error = (name: string) => errorAt(errors, name)
  switch (one.type) {
    case 'says':
    case 'never_says':
      return (
        <TagsInput
          aria-label={title}
          description="All words of a phrase in one turn, in any order. Or a pattern, such as /nine|9/."
          placeholder={one.any_of.length === 0 ? 'Type a phrase and press Enter' : ''}
          splitChars={[]}
          acceptValueOnBlur
          value={one.any_of}
          disabled={is_read_only}
          error={error('any_of')}
          onChange={(any_of) => onChange({ any_of })}
        />
      )
    case 'calls_tool':
    case 'never_calls_tool':
      return <ToolFields one={one} errors={errors} is_read_only={is_read_only} onChange={onChange} />
    case 'result':
      return <ResultFields one={one} errors={errors} is_read_only={is_read_only} onChange={onChange} />
    case 'ends':
      return (
        <div className={styles.pair}>
          <Select
            label="How it ends"
            data={Object.entries(end_names).map(([value, label]) => ({ value, label }))}
            value={one.how}
            clearable={is_voice}
            allowDeselect={false}
            disabled={is_read_only}
            error={error('how')}
            onChange={(how) => onChange({ how })}
          />
          {(is_voice || one.end_reason) && (
            <TextInput
              label="Reason of the end"
              placeholder="goal_reached"
              value={one.end_reason}
              error={error('end_reason')}
              onChange={({ currentTarget }) => onChange({ end_reason: currentTarget.value })}
            />
          )}
        </div>
      )
    case 'at_most':
      return (
        <div className={styles.pair}>
          {limits
            .filter(({ name }) => name !== 'latency_ms' || is_voice || one.latency_ms !== '')
            .map(({ name, label, suffix, is_whole }) => (
              <NumberInput
                key={name}
                label={label}
                suffix={suffix}
                min={0}
                allowDecimal={!is_whole}
                hideControls
                value={one[name]}
                error={error(name === 'cost' ? 'cost_micros' : name)}
                onChange={(value) => onChange({ [name]: value })}
              />
            ))}
        </div>
      )
    case 'cites':
      return <DocumentField one={one} errors={errors} is_read_only={is_read_only} onChange={onChange} />
    case 'judge':
      return (
        <Textarea
          label="Question"
          description="A model answers yes or no, so the result may differ each time. Needs a model provider."
          placeholder="Was the agent polite?"
          autosize
          maxRows={6}
          value={one.question}
          error={error('question')}
          onChange={({ currentTarget }) => onChange({ question: currentTarget.value })}
        />
      )
  }
}

const limits = [
  { name: 'turns', label: 'Turns of the agent', suffix: '', is_whole: true },
  { name: 'tokens', label: 'Tokens', suffix: '', is_whole: true },
  { name: 'cost', label: 'Cost', suffix: '', is_whole: false },
  { name: 'latency_ms', label: 'Slowest answer', suffix: ' ms', is_whole: true },
] as const

type PartProps = Pick<ExpectationFieldsProps, 'one' | 'errors' | 'is_read_only' | 'onChange'>

/** Returns the names of the workspace's tools, and of those that each agent has. */
export function useToolNames(): string[] {
  const { data: tools = [] } = useQuery(toolChoicesQuery(useApi()))
  return [...tools.map(({ name }) => name), ...built_in_tools]
}

function DocumentField({ one, errors, is_read_only, onChange }: PartProps) {
  const { data } = useQuery(documentChoicesQuery(useApi()))
  const known = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const is_known = one.document_id === null || known.some(({ value }) => value === one.document_id)
  return (
    <Select
      label="Document"
      searchable
      allowDeselect={false}
      data={is_known ? known : [...known, { value: one.document_id ?? '', label: one.document_id ?? '' }]}
      value={one.document_id}
      disabled={is_read_only}
      error={errorAt(errors, 'document_id')}
      onChange={(document_id) => onChange({ document_id })}
    />
  )
}

function ToolFields({ one, errors, is_read_only, onChange }: PartProps) {
  return (
    <div className={styles.pair}>
      <Autocomplete
        label="Tool"
        data={useToolNames()}
        value={one.tool}
        disabled={is_read_only}
        error={errorAt(errors, 'tool')}
        onChange={(tool) => onChange({ tool })}
      />
      {one.type === 'calls_tool' && (
        <NumberInput
          label="Times"
          placeholder="At least once"
          min={1}
          allowDecimal={false}
          hideControls
          value={one.times}
          error={errorAt(errors, 'times')}
          onChange={(times) => onChange({ times })}
        />
      )}
      <Textarea
        label="Arguments"
        className={styles.whole}
        classNames={{ input: styles.code ?? '' }}
        description="Optional. A part of the arguments, as JSON."
        placeholder='{ "day": "2026-11-17" }'
        autosize
        maxRows={8}
        spellCheck={false}
        value={one.arguments}
        error={errorAt(errors, 'arguments')}
        onChange={({ currentTarget }) => onChange({ arguments: currentTarget.value })}
      />
    </div>
  )
}

const result_kinds = [...value_kinds, { value: 'none' as const, label: 'Not collected' }]

function ResultFields({ one, errors, is_read_only, onChange }: PartProps) {
  const { kind, value } = one.equals
  const error = errorAt(errors, 'equals')
  return (
    <div className={styles.three}>
      <TextInput
        label="Result"
        placeholder="wants_callback"
        value={one.name}
        error={errorAt(errors, 'name')}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <Select
        label="Value"
        data={result_kinds}
        value={kind}
        allowDeselect={false}
        disabled={is_read_only}
        onChange={(chosen) => {
          const found = result_kinds.find((each) => each.value === chosen)
          if (found) onChange({ equals: { kind: found.value, value: found.value === 'boolean' ? true : '' } })
        }}
      />
      {kind === 'boolean' && (
        <Select
          label="Equals"
          data={[
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
          value={String(value)}
          allowDeselect={false}
          disabled={is_read_only}
          error={error}
          onChange={(chosen) => onChange({ equals: { kind, value: chosen === 'true' } })}
        />
      )}
      {kind === 'number' && (
        <NumberInput
          label="Equals"
          hideControls
          value={value as number | string}
          error={error}
          onChange={(next) => onChange({ equals: { kind, value: next } })}
        />
      )}
      {kind === 'text' && (
        <TextInput
          label="Equals"
          value={String(value)}
          error={error}
          onChange={({ currentTarget }) => onChange({ equals: { kind, value: currentTarget.value } })}
        />
      )}
    </div>
  )
}
