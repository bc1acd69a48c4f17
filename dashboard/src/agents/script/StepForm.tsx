import { Button, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { type FunctionComponent, memo, useState } from 'react'
import { DownIcon, PlusIcon, TrashIcon, UpIcon } from '../../kit/icons.tsx'
import { jsonError, toJsonText } from '../../kit/json.ts'
import { isSame } from '../../kit/merge.ts'
import { useToolNames } from '../useToolNames.ts'
import { StepAction } from './StepAction.tsx'
import styles from './script.module.css'
import {
  type Branch,
  changeNode,
  end_names,
  intent_names,
  type ScriptNode,
  type StepError,
  slot_names,
  targetName,
} from './script.ts'

const node_name = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u

interface StepFormProps {
  name: string
  node: ScriptNode
  /** The names of all steps. */
  names: string[]
  is_start: boolean
  /** The greeting that is said instead of the step's words, or an empty text. */
  greeting: string
  errors: StepError[]
  is_read_only: boolean
  /** Changes the latest node, which may be newer than `node`. */
  onEdit: (change: (node: ScriptNode) => ScriptNode) => void
  onRename: (to: string) => void
  onStart: () => void
}

export function StepForm(props: StepFormProps) {
  const { node, is_start, is_read_only, onStart } = props
  return (
    <fieldset className={styles.form} disabled={is_read_only}>
      <NameField name={props.name} names={props.names} onRename={props.onRename} />
      {node.tool === undefined ? <TalkFields {...props} /> : <ToolFields {...props} />}
      {!is_start && !is_read_only && (
        <Button variant="default" size="xs" className={styles.alone} onClick={onStart}>
          Start here
        </Button>
      )}
    </fieldset>
  )
}

/**
 * Makes a component that is rendered again only if what it shows has changed, and not by each letter typed elsewhere in
 * the step. Its functions may be those of an earlier render.
 */
const memoSame = <Props extends object>(Component: FunctionComponent<Props>) => memo(Component, isSame)

/** Renames when the field is left: each letter would be another name. */
const NameField = memoSame(({ name, names, onRename }: Pick<StepFormProps, 'name' | 'names' | 'onRename'>) => {
  const [text, setText] = useState(name)
  const to = text.trim()
  const is_taken = to !== name && names.includes(to)
  const error = is_taken
    ? 'Another step has this name'
    : node_name.test(to)
      ? undefined
      : 'Up to 64 letters, digits, - and _, beginning with a letter or digit'
  return (
    <TextInput
      label="Name"
      value={text}
      error={error}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => to !== name && !error && onRename(to)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
    />
  )
})

/** Returns the message at a path, or of something inside of it. */
const errorAt = (errors: StepError[], at: string): string | undefined =>
  errors.find(({ path }) => path === at || path.startsWith(`${at}.`))?.message

/** Returns the errors inside of a path, with the rest of their paths: `.say` in `else`. */
const errorsIn = (errors: StepError[], at: string): StepError[] =>
  errors
    .filter(({ path }) => path === at || path.startsWith(`${at}.`))
    .map(({ path, message }) => ({ path: path.slice(at.length), message }))

type Change = Parameters<typeof changeNode>[1]

const orNothing = (text: string): string | undefined => (text === '' ? undefined : text)

function TalkFields({ node, greeting, names, errors, is_read_only, onEdit }: StepFormProps) {
  const change = (changed: Change) => onEdit((latest) => changeNode(latest, changed))
  const on = node.on ?? []
  const editBranches = (edit: (branches: Branch[]) => Branch[]) =>
    onEdit((latest) => {
      const branches = edit(latest.on ?? [])
      return changeNode(latest, { on: branches.length > 0 ? branches : undefined })
    })
  const waits = on.length > 0 || node.else !== undefined || node.silence !== undefined
  return (
    <>
      <Textarea
        label="Says"
        description={greeting && `Replaced by the greeting: “${greeting}” Said only if no answer fits.`}
        autosize
        maxRows={8}
        value={node.say ?? ''}
        error={errorAt(errors, 'say')}
        onChange={({ currentTarget }) => change({ say: orNothing(currentTarget.value) })}
      />
      {on.map((branch, index) => (
        <BranchFields
          // biome-ignore lint/suspicious/noArrayIndexKey: branches have no other name
          key={index}
          number={index + 1}
          branch={branch}
          names={names}
          is_read_only={is_read_only}
          errors={errorsIn(errors, `on.${index}`)}
          onChange={(changed) => editBranches((branches) => branches.with(index, changed))}
          onDelete={() => editBranches((branches) => branches.toSpliced(index, 1))}
          onMove={(by) => editBranches((branches) => moveBranch(branches, index, by))}
          is_last={index === on.length - 1}
        />
      ))}
      {(['else', 'silence'] as const).map((kind) => {
        const reaction = node[kind]
        return (
          reaction && (
            <ReactionFields
              key={kind}
              title={reaction_names[kind]}
              reaction={reaction}
              names={names}
              is_read_only={is_read_only}
              errors={errorsIn(errors, kind)}
              onChange={(changed) => change({ [kind]: changed })}
            />
          )
        )
      })}
      {!is_read_only && (
        <div className={styles.addStep}>
          <AddButton onClick={() => change({ on: [...on, { hear: [], go: '@end' }], go: undefined })}>
            Add answer
          </AddButton>
          {(['else', 'silence'] as const).map(
            (kind) =>
              !node[kind] && (
                <AddButton key={kind} onClick={() => change({ [kind]: { go: '@hand_over' }, go: undefined })}>
                  {reaction_names[kind]}
                </AddButton>
              ),
          )}
        </div>
      )}
      {(!waits || node.go !== undefined) && (
        <StepGoField
          label="Then go to"
          value={node.go}
          names={names}
          is_read_only={is_read_only}
          error={errorAt(errors, 'go')}
          onChange={(go) => change({ go })}
        />
      )}
      <TextInput
        label="Press digits"
        description="In calls, after the words."
        value={node.press ?? ''}
        error={errorAt(errors, 'press')}
        onChange={({ currentTarget }) => change({ press: orNothing(currentTarget.value) })}
      />
      <Switch
        label="Answer from documents"
        description="Looks up what no answer above fits."
        checked={node.answer_from_knowledge ?? false}
        onChange={({ currentTarget }) =>
          change(
            currentTarget.checked
              ? { answer_from_knowledge: true, else: node.else ?? { go: '@hand_over' }, go: undefined }
              : { answer_from_knowledge: undefined },
          )
        }
      />
      <Switch
        label="Can’t be interrupted"
        checked={node.is_uninterruptible ?? false}
        onChange={({ currentTarget }) => change({ is_uninterruptible: currentTarget.checked || undefined })}
      />
    </>
  )
}

const moveBranch = (branches: Branch[], index: number, by: -1 | 1): Branch[] =>
  branches.toSpliced(index, 1).toSpliced(index + by, 0, ...branches.slice(index, index + 1))

const reaction_names = { else: 'Anything else', silence: 'Silence' }

const AddButton = ({ children, onClick }: { children: string; onClick: () => void }) => (
  <Button variant="default" size="compact-xs" leftSection={<PlusIcon size={14} />} onClick={onClick}>
    {children}
  </Button>
)

interface GoFieldProps {
  label: string
  value: string | undefined
  names: string[]
  is_read_only: boolean
  error: string | undefined
  onChange: (go: string) => void
}

function GoField({ label, value, names, is_read_only, error, onChange }: GoFieldProps) {
  const targets = [...names, ...end_names.keys()]
  // A chosen step that was deleted is still shown.
  const all = value === undefined || targets.includes(value) ? targets : [...targets, value]
  return (
    <Select
      label={label}
      data={all.map((target) => ({ value: target, label: targetName(target) }))}
      value={value ?? null}
      placeholder="Stay and wait"
      allowDeselect={false}
      searchable
      disabled={is_read_only}
      error={error}
      onChange={(go) => go !== null && onChange(go)}
    />
  )
}

const StepGoField = memoSame(GoField)

interface PartProps {
  names: string[]
  is_read_only: boolean
  /** The paths of the errors begin with a dot, or are empty. */
  errors: StepError[]
}

type Reaction = NonNullable<ScriptNode['else']>

interface ReactionFieldsProps extends PartProps {
  title: string
  reaction: Reaction
  onChange: (reaction: Reaction | undefined) => void
}

const ReactionFields = memoSame((props: ReactionFieldsProps) => {
  const { title, reaction, names, is_read_only, errors, onChange } = props
  return (
    <fieldset className={styles.answer}>
      <legend>{title}</legend>
      <SayField
        value={reaction.say}
        error={errorAt(errors, '.say')}
        onChange={(say) => onChange(withSay(reaction, say))}
      />
      <GoField
        label="Go to"
        value={reaction.go}
        names={names}
        is_read_only={is_read_only}
        error={errorAt(errors, '.go') ?? errorAt(errors, '')}
        onChange={(go) => onChange({ ...reaction, go })}
      />
      {!is_read_only && (
        <span className={styles.answerActions}>
          <StepAction label={`Delete ${title}`} Icon={TrashIcon} onClick={() => onChange(undefined)} />
        </span>
      )}
    </fieldset>
  )
})

interface SayFieldProps {
  value: string | undefined
  error: string | undefined
  onChange: (say: string | undefined) => void
}

const SayField = ({ value, error, onChange }: SayFieldProps) => (
  <TextInput
    label="Says"
    value={value ?? ''}
    error={error}
    onChange={({ currentTarget }) => onChange(orNothing(currentTarget.value))}
  />
)

function withSay<Part extends { say?: string }>({ say: _, ...rest }: Part, say: string | undefined) {
  return say === undefined ? rest : { ...rest, say }
}

interface BranchFieldsProps extends PartProps {
  number: number
  branch: Branch
  is_last: boolean
  onChange: (branch: Branch) => void
  onDelete: () => void
  onMove: (by: -1 | 1) => void
}

const kinds = [
  { value: 'hear', label: 'Phrases' },
  { value: 'intent', label: 'A meaning' },
  { value: 'slot', label: 'A value' },
] as const

const BranchFields = memoSame((props: BranchFieldsProps) => {
  const { number, branch, names, is_read_only, errors, is_last, onChange, onDelete, onMove } = props
  const { say, go } = branch
  const rest = { ...(say !== undefined && { say }), go }
  const kind = branch.intent ? 'intent' : branch.slot ? 'slot' : 'hear'
  const choose = (chosen: string | null) => {
    if (chosen === 'hear') onChange({ hear: [], ...rest })
    if (chosen === 'intent') onChange({ intent: 'yes', ...rest })
    if (chosen === 'slot') onChange({ slot: 'date', ...rest })
  }
  return (
    <fieldset className={styles.answer}>
      <legend>Answer {number}</legend>
      <Select
        label="If it hears"
        data={kinds}
        value={kind}
        allowDeselect={false}
        disabled={is_read_only}
        onChange={choose}
      />
      {kind === 'hear' ? (
        <TagsInput
          label="Phrases"
          placeholder="Type and press Enter"
          splitChars={[]}
          acceptValueOnBlur
          value={branch.hear ?? []}
          disabled={is_read_only}
          error={errorAt(errors, '.hear')}
          onChange={(hear) => onChange({ ...branch, hear })}
        />
      ) : (
        <Select
          label={kind === 'intent' ? 'Meaning' : 'Value'}
          data={Object.entries(kind === 'intent' ? intent_names : slot_names).map(([value, label]) => ({
            value,
            label,
          }))}
          value={branch.intent ?? branch.slot ?? null}
          allowDeselect={false}
          disabled={is_read_only}
          error={errorAt(errors, `.${kind}`)}
          // The choices are the names of this kind.
          onChange={(chosen) => chosen && onChange({ ...branch, [kind]: chosen } as Branch)}
        />
      )}
      <SayField
        value={say}
        error={errorAt(errors, '.say')}
        onChange={(text) => onChange(withSay(branch, text) as Branch)}
      />
      <GoField
        label="Go to"
        value={go}
        names={names}
        is_read_only={is_read_only}
        error={errorAt(errors, '.go')}
        onChange={(target) => onChange({ ...branch, go: target })}
      />
      {!is_read_only && (
        <span className={styles.answerActions}>
          <StepAction
            label={`Move answer ${number} up`}
            Icon={UpIcon}
            is_disabled={number === 1}
            onClick={() => onMove(-1)}
          />
          <StepAction
            label={`Move answer ${number} down`}
            Icon={DownIcon}
            is_disabled={is_last}
            onClick={() => onMove(1)}
          />
          <StepAction label={`Delete answer ${number}`} Icon={TrashIcon} onClick={onDelete} />
        </span>
      )}
    </fieldset>
  )
})

function ToolFields({ node, names, errors, is_read_only, onEdit }: StepFormProps) {
  const tools = useToolNames()
  const change = (changed: Change) => onEdit((latest) => changeNode(latest, changed))
  const known = new Set([...tools.names, ...(node.tool ? [node.tool] : [])])
  return (
    <>
      <Select
        label="Tool"
        description={tools.hint}
        placeholder="Choose a tool"
        data={[...known]}
        onDropdownOpen={tools.onDropdownOpen}
        value={node.tool || null}
        disabled={is_read_only}
        error={errorAt(errors, 'tool')}
        onChange={(tool) => change({ tool: tool ?? '' })}
      />
      <ArgumentsField value={node.with} error={errorAt(errors, 'with')} onChange={(value) => change({ with: value })} />
      {(['ok', 'failed'] as const).map((field) => (
        <StepGoField
          key={field}
          label={field === 'ok' ? 'If it succeeds, go to' : 'If it fails, go to'}
          value={node[field]}
          names={names}
          is_read_only={is_read_only}
          error={errorAt(errors, field)}
          onChange={(go) => change({ [field]: go })}
        />
      ))}
    </>
  )
}

interface ArgumentsFieldProps {
  value: ScriptNode['with']
  error: string | undefined
  onChange: (value: ScriptNode['with']) => void
}

/** Changes the step when the text is JSON. */
function ArgumentsField({ value, error, onChange }: ArgumentsFieldProps) {
  const [text, setText] = useState(value ? toJsonText(value) : '')
  return (
    <Textarea
      label="Arguments"
      placeholder='{ "day": "{{date}}" }'
      autosize
      maxRows={10}
      spellCheck={false}
      value={text}
      error={(text && jsonError(text)) || error}
      onChange={({ currentTarget }) => {
        const typed = currentTarget.value
        setText(typed)
        if (typed === '') onChange(undefined)
        else if (jsonError(typed) === null) onChange(JSON.parse(typed))
      }}
    />
  )
}
