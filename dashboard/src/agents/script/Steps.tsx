import { Button, UnstyledButton } from '@mantine/core'
import { memo, useRef, useState } from 'react'
import type { FieldError } from '../../kit/error-messages.ts'
import { DownIcon, PlusIcon, TrashIcon, UpIcon } from '../../kit/icons.tsx'
import { isSame } from '../../kit/merge.ts'
import { Status } from '../../kit/Status.tsx'
import { StepAction } from './StepAction.tsx'
import { StepForm } from './StepForm.tsx'
import styles from './script.module.css'
import {
  addNode,
  deleteNode,
  errorsOf,
  exitsOf,
  moveNode,
  renameNode,
  replaceNode,
  type Script,
  type ScriptNode,
  type StepError,
  targetName,
} from './script.ts'

interface StepsProps {
  script: Script
  greeting: string
  errors: FieldError[]
  /** The step that is lit up. */
  current: string | undefined
  is_read_only: boolean
  /** The step whose form is shown. */
  open: string | undefined
  onOpen: (name: string | undefined) => void
  onChange: (script: Script) => void
}

/** Shows what the agent says, and where it goes on. One step at a time is a form. */
export function Steps(props: StepsProps) {
  const { script, greeting, errors, current, is_read_only, open, onOpen, onChange } = props
  const names = Object.keys(script.nodes)
  const latest = useRef({ script, onOpen, onChange })
  latest.current = { script, onOpen, onChange }
  const [editing] = useState((): Editing => {
    const edit: Editing['edit'] = (change) => latest.current.onChange(change(latest.current.script))
    return { edit, open: (name) => latest.current.onOpen(name) }
  })
  const add = (node: ScriptNode) => {
    const added = addNode(script, node)
    onChange(added.script)
    onOpen(added.name)
  }
  return (
    <div className={styles.steps}>
      <ol aria-label="Steps">
        {Object.entries(script.nodes).map(([name, node], index) => (
          <Step
            key={name}
            name={name}
            node={node}
            is_first={index === 0}
            is_last={index === names.length - 1}
            is_start={name === script.start}
            greeting={name === script.start ? greeting : ''}
            is_current={name === current}
            errors={errorsOf(name, errors)}
            is_read_only={is_read_only}
            names={open === name ? names : undefined}
            editing={editing}
          />
        ))}
      </ol>
      {!is_read_only && (
        <div className={styles.addStep}>
          <Button
            variant="default"
            size="xs"
            leftSection={<PlusIcon size={15} />}
            onClick={() => add({ say: 'What can I do for you?', go: '@end' })}
          >
            Add step
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<PlusIcon size={15} />}
            onClick={() => add({ tool: '', ok: '@end', failed: '@hand_over' })}
          >
            Add tool step
          </Button>
        </div>
      )}
    </div>
  )
}

/** Functions that never change, so that steps are not rendered because of them. */
interface Editing {
  edit: (change: (script: Script) => Script) => void
  open: (name: string | undefined) => void
}

interface StepProps {
  name: string
  node: ScriptNode
  is_first: boolean
  is_last: boolean
  is_start: boolean
  /** The greeting that is said instead of the words of the first step. It is empty for the others. */
  greeting: string
  is_current: boolean
  errors: StepError[]
  is_read_only: boolean
  /** The names of all steps, for the step whose form is shown. */
  names: string[] | undefined
  editing: Editing
}

/** Scrolls only when the step becomes the current one: a person can scroll away. */
const scrollIntoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

/** Each change makes new objects of all steps. A step that is equal to the one before is not rendered again. */
const Step = memo(
  ({
    name,
    node,
    names,
    is_first,
    is_last,
    is_start,
    greeting,
    is_current,
    errors,
    is_read_only,
    editing: { edit, open },
  }: StepProps) => (
    <li
      ref={is_current ? scrollIntoView : undefined}
      className={styles.step}
      data-open={names && true}
      aria-current={is_current ? 'step' : undefined}
    >
      <div className={styles.stepHead}>
        <UnstyledButton
          className={styles.stepName}
          aria-expanded={names !== undefined}
          onClick={() => open(names ? undefined : name)}
        >
          {name}
        </UnstyledButton>
        {is_start && <span className={styles.tag}>Start</span>}
        {errors.length > 0 && <Status tone="danger">{errors[0]?.message}</Status>}
        {names && !is_read_only && (
          <span className={styles.stepActions}>
            <StepAction
              label={`Move ${name} up`}
              Icon={UpIcon}
              is_disabled={is_first}
              onClick={() => edit((script) => moveNode(script, name, -1))}
            />
            <StepAction
              label={`Move ${name} down`}
              Icon={DownIcon}
              is_disabled={is_last}
              onClick={() => edit((script) => moveNode(script, name, 1))}
            />
            <StepAction
              label={`Delete ${name}`}
              Icon={TrashIcon}
              is_disabled={is_start}
              onClick={() => edit((script) => deleteNode(script, name))}
            />
          </span>
        )}
      </div>
      {names ? (
        <StepForm
          name={name}
          node={node}
          names={names}
          is_start={is_start}
          greeting={greeting}
          errors={errors}
          is_read_only={is_read_only}
          onEdit={(change) => edit((script) => replaceNode(script, name, change(script.nodes[name] ?? {})))}
          onRename={(to) => {
            edit((script) => renameNode(script, name, to))
            open(to)
          }}
          onStart={() => edit((script) => ({ ...script, start: name }))}
        />
      ) : (
        <Summary node={node} greeting={greeting} />
      )}
    </li>
  ),
  isSame,
)

function Summary({ node, greeting }: { node: ScriptNode; greeting: string }) {
  return (
    <div className={styles.summary}>
      {greeting && <p>Greeting: “{greeting}”</p>}
      {node.say && (greeting ? <p className={styles.replaced}>If no answer fits: “{node.say}”</p> : <p>{node.say}</p>)}
      {node.tool !== undefined && <p>Calls {node.tool || 'a tool'}</p>}
      <ul>
        {exitsOf(node).map(({ why, say, go }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two exits can be equal
          <li key={index}>
            <span>{why}</span>
            {say && <span>says “{say}”</span>}
            <span>→ {go === undefined ? 'waits' : targetName(go)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
